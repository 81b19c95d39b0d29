import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { bundledCode } from '../../scripts/release/bundled.ts'
import { npmTarball, packageFiles } from '../../scripts/release/npm-package.ts'
import { findProgram } from '../../src/server/spawn/index.ts'
import { endWithUs, root, until, wants } from '../support/helper.ts'

/**
 * The service as npm installs it, with no setting changed, used as a person would in the first hour. It has its own home, and its own network
 * namespace, so that it gets its default port. Every step that a newcomer takes with the defaults belongs here.
 */
const folder = mkdtempSync(join(tmpdir(), 'shellphone-installed-'))
t.teardown(() => {
  spawnSync('tmux', ['-S', `${folder}/tmux`, 'kill-server']) // by the path of its socket, because the service's namespace no longer exists
  rmSync(folder, { recursive: true, force: true })
})
const env = {
  HOME: folder,
  PATH: `${folder}/prefix/bin:${process.env.PATH}`,
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  SHELL: '/bin/sh',
}
const owner = process.getuid!() === 0 ? [] : ['--user', '--map-root-user']
const missing = ['unshare', 'nsenter', 'ip', 'curl', 'tmux'].filter(
  (program) => !findProgram(program, process.env.PATH ?? ''),
)
const noNamespace = () => spawnSync('unshare', [...owner, '--net', 'ip', 'link', 'set', 'lo', 'up']).status !== 0
wants(t, missing.length > 0 ? `needs ${missing.join(', ')} (scripts/test/apt-packages.sh)` : null)
wants(t, noNamespace() ? 'no network namespace can be made here' : null)

const tarball = join(folder, 'shellphone.tgz')
writeFileSync(tarball, npmTarball(packageFiles(root, [], bundledCode(root, false))))
execFileSync(
  'npm',
  ['install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', `${folder}/prefix`, tarball],
  { env },
)

const script = 'ip link set lo up; exec shellphone serve'
const service = endWithUs(
  spawn('unshare', [...owner, '--net', 'sh', '-c', script], { cwd: folder, env, stdio: 'pipe' }),
) as ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }
let log = ''
for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => (log += chunk))
t.ok(await until(() => log.includes('"listening"')), log)
const skip = log.includes('"spawner":"launcher"') ? false : 'terminals need the launcher'

/** Runs a shell script as the service's user in the service's network namespace. */
function shell(text: string) {
  const join = ['-t', String(service.pid), '--net', ...(owner.length > 0 ? ['--user', '--preserve-credentials'] : [])]
  return spawnSync('nsenter', [...join, 'sh', '-c', text], { cwd: folder, env, encoding: 'utf8' })
}

/** Runs `text` in a terminal of 100 columns; its screen is what a person would see. */
function terminal(name: string, text: string) {
  const tmux = (...args: string[]) => shell(`tmux -S ${folder}/tmux ${args.map((arg) => `'${arg}'`).join(' ')}`).stdout
  tmux('new-session', '-d', '-s', name, '-x', '100', '-y', '30', `${text}; echo "code $?"; read _`)
  const screen = (...how: string[]) => tmux('capture-pane', '-p', ...how, '-t', name)
  const see = async (pattern: RegExp) =>
    t.ok(await until(() => pattern.test(screen())), `${name}: ${pattern}\n${screen()}`)
  return { type: (...keys: string[]) => void tmux('send-keys', '-t', name, ...keys), screen, see }
}

t.test('README: the first command, by curl', async (t) => {
  t.match(log, /"address":"http:\/\/127\.0\.0\.1:8029"/, 'it listens at its default address')
  const token = 'TOKEN=$(shellphone token create curl)'
  const line = `curl -sf -H "Authorization: Bearer $TOKEN" --json '{"command": "uname"}' http://127.0.0.1:8029/exec`
  t.match(JSON.parse(shell(`${token}; ${line}`).stdout), { status: 'completed', exit_code: 0, stdout: 'Linux\n' })
  t.match(shell('curl -si http://127.0.0.1:8029/').stdout, /^HTTP\/1\.1 200 OK[^]*<!doctype html>/i, 'the page')
})

t.test('the command line finds the service', async (t) => {
  t.match(shell('shellphone run "echo hi; exit 3"'), { stdout: 'hi\n', status: 3 })
  t.match(shell('shellphone history').stdout, /^ID +STATUS .*\n.*  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  .*echo hi/)
  t.match(shell('shellphone ps'), { status: 0 })
  t.match(shell('shellphone check "rm -rf /"').stdout, /deny/)
  t.notMatch(shell('shellphone doctor').stderr, /^\s+at /m, 'no stack trace')
})

t.test('shellphone shell: keys after the approval request reach the shell', { skip }, async () => {
  const { type, see } = terminal('shell', 'shellphone shell')
  await see(/Open a terminal\? \[y\/N\]/)
  type('y', 'Enter')
  await see(/[$#] *$/m)
  type('echo $((6*7)) is seen', 'Enter')
  await see(/^42 is seen/m)
  type('exit 5', 'Enter')
  await see(/^code 5/m)
})

t.test('shellphone shell: Ctrl-C at the approval request cancels the run', { skip }, async (t) => {
  const { type, see, screen } = terminal('interrupted', 'shellphone shell')
  await see(/Open a terminal\? \[y\/N\]/)
  type('C-c')
  await see(/^shellphone: not answered; canceling\ncode 130/m)
  t.notMatch(screen(), /^\s+at |Error:|denied/m)
  t.match(JSON.parse(shell('shellphone history --json --limit 1').stdout), { runs: [{ status: 'canceled' }] })
})

t.test('a terminal that is approved elsewhere opens, and ps shows that it waits', { skip }, async (t) => {
  const { type, see } = terminal('elsewhere', 'shellphone shell')
  await see(/Open a terminal\? \[y\/N\]/)
  const listed = shell('shellphone ps')
  t.match(listed.stdout, /\n\w+ +needs approval .*\n$/)
  t.match(listed.stderr, 'shellphone: 1 waiting for approval; answer with shellphone approvals\n')
  const [, id] = /^(\w+) +owner /m.exec(shell('shellphone approvals list').stdout) ?? []
  t.match(shell(`shellphone approvals approve ${id}`).stdout, /^approved/)
  await see(/answered elsewhere/)
  type('echo $((6*7)) is seen', 'Enter')
  await see(/^42 is seen/m)
  type('exit 6', 'Enter')
  await see(/^code 6/m)
})

t.test('colours only on a terminal, and not with NO_COLOR', async (t) => {
  const cases: [string, string, boolean][] = [
    ['coloured', 'shellphone history', true],
    ['piped', 'shellphone history | cat', false],
    ['plain', 'NO_COLOR=1 shellphone history', false],
  ]
  for (const [name, line, isColoured] of cases) {
    const { see, screen } = terminal(name, line)
    await see(/^code 0/m)
    t.equal(screen('-e').includes('\x1b[1mID'), isColoured, line)
  }
})

t.test('pair says that no other device can connect', async (t) => {
  const { stdout } = shell('shellphone pair')
  t.match(
    stdout,
    /^The service listens only on this machine\. To pair another device, restart it with --host 0\.0\.0\.0/,
  )
  t.notMatch(stdout, /[▀▄█]/, 'no QR code')
  t.notMatch(stdout, /main\.js/, 'the program has one name')
  t.match(
    shell('curl -s --json \'{"code": "AAAA-BBBB", "name": "x"}\' http://127.0.0.1:8029/pair').stdout,
    /The code is wrong/,
  )
})

t.test('an agent runs a command over MCP', async (t) => {
  const message = { jsonrpc: '2.0', id: 1, method: 'initialize' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'newcomer', version: '1' } }
  const { stdout } = shell(`echo '${JSON.stringify({ ...message, params })}' | shellphone mcp`)
  t.match(JSON.parse(stdout), { id: 1, result: { serverInfo: { name: 'shellphone' } } })
})

t.test('stops on request', async (t) => {
  service.kill('SIGTERM')
  const code = await new Promise((resolve) => service.once('exit', resolve))
  t.equal(code, 0)
})
