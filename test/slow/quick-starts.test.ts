import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import t, { type Test } from 'tap'
import { makeDownload } from '../support/download.ts'
import { root, wants } from '../support/helper.ts'
import { type Machine, noMachine, plugIn, startMachine } from '../support/machine.ts'
import { linesUnder } from '../support/readme-blocks.ts'
import { home, loginEnv, startPhone, whyNot } from '../support/termux/phone.ts'

/**
 * Runs the quick starts of README.md word for word, on machines with an empty home directory. The test replaces two things around the lines: the
 * host of the downloads is this clone's release on the machine itself, and LINK is what `shellphone pair` printed. A program `claude` stores what
 * it shall start, as the real one does.
 */
wants(t, noMachine())
const download = makeDownload()
t.teardown(() => download.remove())

const SECOND_TERMINAL = /^shellphone serve +# .*in a second terminal$/
const [fromClone, fromRelease, prepare, first] = linesUnder('README.md', 'Quick start: this machine, with curl')
const agent = linesUnder('README.md', 'Quick start: an agent, with MCP').flat()
const phoneLines = linesUnder('README.md', 'Quick start: a phone').flat()

/** A new machine at which the host of the downloads is itself. */
async function newMachine(t: Test): Promise<Machine> {
  const machine = await startMachine({ 'repository.invalid': '127.0.0.1' })
  t.teardown(() => machine.stop())
  Object.assign(machine.env, download.env)
  await download.serve(machine)
  return machine
}

/** Installs by these lines, and starts the service in a second terminal, as the README says for a machine without systemd. */
async function install(t: Test, machine: Machine, lines: string[], directory = machine.home) {
  const [serve] = prepare!.filter((line) => SECOND_TERMINAL.test(line))
  const path = prepare!.filter((line) => line !== serve)
  const installed = await machine.run(['set -e', `cd ${directory}`, ...lines].join('\n'))
  t.equal(installed.code, 0, installed.stderr)
  t.match(installed.stdout, /systemd does not run services for this user. Start it with: \S+\/shellphone serve$/m)
  const service = machine.start([...path, serve!].join('\n'))
  await service.prints(/"msg":"listening"/)
  return { path, service }
}

t.test('this machine, with curl', async (t) => {
  const machine = await newMachine(t)
  machine.program('xdg-open', `echo "$1" >${machine.home}/opened`)
  const { path } = await install(t, machine, fromRelease!)
  const used = await machine.run(['set -e', ...path, ...first!].join('\n'))
  t.equal(used.code, 0, used.stderr)
  t.match(used.stdout, /"status":"completed","exit_code":0,.*"stdout":"\w+\\n"/)
  t.match(readFileSync(join(machine.home, 'opened'), 'utf8'), /^http:\/\/127\.0\.0\.1:8029\/#pair=\S+\n$/, 'the page')
})

t.test('this machine, from a clone', async (t) => {
  const machine = await newMachine(t)
  const copy = join(machine.home, 'clone')
  execFileSync('sh', ['-ec', `mkdir ${copy}; git ls-files -z | xargs -0 cp --parents -t ${copy}`], { cwd: root })
  // npm ci would download what this clone already has
  execFileSync('cp', ['-al', 'node_modules', copy], { cwd: root })
  const npm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()
  machine.env.XDG_CACHE_HOME = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache') // of Debian's musl
  machine.program('npm', `[ "$*" != ci ] || set -- run prepare\nexec ${npm} "$@"`)
  const { path } = await install(t, machine, fromClone!, copy)
  const used = await machine.run(['set -e', ...path, "shellphone run 'echo $((6*7))'"].join('\n'))
  t.match(used, { code: 0, stdout: '42\n' })
})

/** Stores what `claude mcp add` shall start, with its environment, in a file of its own for each name. */
const CLAUDE = `[ "$1 $2" = "mcp add" ] || exit 2; shift 2
[ "$1" != --env ] || { env=$2; shift 2; }
[ "$1 $2 $4" = "--scope user --" ] || exit 2
file=$HOME/.mcp-$3; shift 4; printf '%s\\n' \${env:+env "$env"} "$@" >"$file"`

/** Runs a command by the tool \`exec\` of the MCP server that was stored under this name. */
async function callTool(machine: Machine, name: string, command: string) {
  const words = readFileSync(join(machine.home, `.mcp-${name}`), 'utf8')
    .trimEnd()
    .split('\n')
  const env = { ...machine.env, PATH: `${machine.home}/.local/bin:${machine.env.PATH}` }
  const client = new Client({ name: 'newcomer', version: '1' })
  await client.connect(new StdioClientTransport({ command: 'nsenter', args: [...machine.enter, ...words], env }))
  try {
    return await client.callTool({ name: 'exec', arguments: { command } })
  } finally {
    await client.close()
  }
}

t.test('an agent, with MCP, and a phone', { skip: whyNot() ?? false }, async (t) => {
  const laptop = await newMachine(t)
  laptop.program('claude', CLAUDE)
  const { path } = await install(t, laptop, fromRelease!)

  const phone = await startPhone({ node: process.execPath, npm: '' })
  t.teardown(() => phone.stop())
  plugIn(laptop, phone.pid, 'router', '192.168.43.1/24')
  writeFileSync(phone.path('/etc/hosts'), '192.168.43.1 repository.invalid\n')
  copyFileSync(download.certificate, phone.path(`${home}/certificate.pem`))
  await phone.run('pkg install -y curl </dev/null') // Termux comes with it
  const env = { ...loginEnv, CURL_CA_BUNDLE: `${home}/certificate.pem` }
  const paired = await phone.run(['set -e', ...phoneLines].join('\n'), env)
  t.equal(paired.code, 0, paired.stderr)
  t.match(paired.stdout, /^Shellphone is running: https:\/\/192\.168\.43\.7:8029$/m)
  const [, link] = /shellphone remote add phone '(https:\/\/192\.168\.43\.7[^']+)'/.exec(paired.stdout) ?? []
  t.match(link, /#pair=[^&]+&key=/)

  const added = await laptop.run(['set -e', ...path, ...agent].join('\n').replace("'LINK'", `'${link}'`))
  t.equal(added.code, 0, added.stderr)
  t.match(await callTool(laptop, 'shellphone', 'echo "at $HOME"'), {
    structuredContent: { stdout: `at ${laptop.home}\n` },
  })
  const runs = await laptop.run([...path, 'shellphone history --json'].join('\n'))
  t.match(runs.stdout, /"token": ?"claude"/, 'the agent has a token of its own')
  t.match(await callTool(laptop, 'phone', 'echo "at $HOME"'), { structuredContent: { stdout: `at ${home}\n` } })
})
