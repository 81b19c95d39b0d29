import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import t from 'tap'
import { makeDownload } from '../support/download.ts'
import { until, wants } from '../support/helper.ts'
import { noMachine, plugIn, startMachine } from '../support/machine.ts'
import { natsServer, noBroker } from '../support/nats.ts'
import { installTermuxApi, pressButton } from '../support/termux/notifications.ts'
import { home as phoneHome, loginEnv, startPhone, whyNot } from '../support/termux/phone.ts'
import { goTo, isConnected, noBrowser, openBrowser, openVisit, runIn, shown } from './browser.ts'

/**
 * The first hour of a newcomer who changes no setting: a laptop and a phone in one network, both installed by the command of the README from this
 * clone's release, each with an empty home directory and with its default port.
 */
wants(t, noMachine() ?? whyNot())
const download = makeDownload()
t.teardown(() => download.remove())
const laptop = await startMachine({ 'repository.invalid': '127.0.0.1' })
t.teardown(() => laptop.stop())
const phone = await startPhone({ node: process.execPath, npm: '' })
t.teardown(() => phone.stop())
plugIn(laptop, phone.pid, 'router', '192.168.43.1/24')
Object.assign(laptop.env, download.env, { PATH: `${laptop.home}/.local/bin:${laptop.env.PATH}` })
await download.serve(laptop)
writeFileSync(phone.path('/etc/hosts'), '192.168.43.1 repository.invalid\n')
copyFileSync(download.certificate, phone.path(`${phoneHome}/certificate.pem`))
await phone.run('pkg install -y curl </dev/null') // Termux comes with it

/** A command that needs approval by default, on both machines. */
const ASKING = 'cat todo | sh'
writeFileSync(join(laptop.home, 'todo'), 'echo "done on the laptop"\n')
await phone.run('echo "echo done on the phone" >todo')

const INSTALL = 'curl -fsSL https://repository.invalid/owner/shellphone/releases/latest/download/install.sh | sh'

/** The names of all files in a home directory, without directories. */
const filesIn = (home: string) =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(home, join(parentPath, name)))
const before = filesIn(laptop.home)

t.test('installs and starts on the laptop', async (t) => {
  const ran = await laptop.run(INSTALL)
  t.match(ran, { code: 0, stdout: /Shellphone \S+ is installed/ }, ran.stderr)
  await laptop.start('shellphone serve').prints(/"address":"http:\/\/127\.0\.0\.1:8029"/)
})

t.test('runs and approves a command on the page', { skip: noBrowser ?? false }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-browser-'))
  const program = join(folder, 'chromium')
  writeFileSync(program, `#!/bin/sh\nexec nsenter -t ${laptop.pid} -m -p -n /usr/bin/chromium "$@"\n`, { mode: 0o755 })
  const browser = await openBrowser([], program)
  t.teardown(async () => {
    await browser.close()
    rmSync(folder, { recursive: true })
  })
  const { page, pageErrors } = await openVisit(browser)
  await page.goto((await laptop.run('shellphone open --print')).stdout.trim())
  await isConnected(page)
  await runIn(page, 'echo $((6*7))')
  t.ok(await until(async () => (await shown(page)).includes('42')))

  const asked = laptop.start(`shellphone run '${ASKING}'`)
  await goTo(page, '#/approvals')
  const card = page.locator('.approval-card', { hasText: ASKING })
  await card.getByRole('button', { name: 'Approve once' }).click()
  await asked.prints(/^done on the laptop$/m)

  await page.goto('http://127.0.0.1:8029/docs')
  await page.getByRole('searchbox').fill('pairing code')
  await until(async () => /^\d+ match(es)?$/.test((await page.getByRole('status').textContent()) ?? ''))
  t.ok(await page.locator('#post-pairing').isVisible())
  t.notOk(await page.locator('#get-metrics').isVisible(), 'the search field hides other operations')
  t.same(pageErrors, [])
})

t.test('approves a command in a terminal', async () => {
  const { screen, shows, type } = laptop.terminal('approvals', 'shellphone approvals')
  const asked = laptop.start(`shellphone run '${ASKING}'`)
  await shows(/cat todo \| sh/)
  // a key within 0.4 s of the request is ignored
  await until(() => {
    type('y')
    return /: approved by /.test(screen())
  })
  await asked.prints(/^done on the laptop$/m)
  type('C-c')
  await shows(/^code \d+/m)
})

t.test('opens a terminal', async () => {
  const { shows, type } = laptop.terminal('shell', 'shellphone shell')
  await shows(/Open a terminal\? \[y\/N\]/)
  type('y', 'Enter')
  await shows(/[$#] *$/m)
  type('echo $((6*7)) is seen', 'Enter')
  await shows(/^42 is seen/m)
  type('exit 5', 'Enter')
  await shows(/^code 5/m)
})

t.test('installs on the phone, and pairs the laptop with it over TLS', async (t) => {
  await installTermuxApi(phone)
  const env = { ...loginEnv, CURL_CA_BUNDLE: `${phoneHome}/certificate.pem` }
  // in one session, as in the app: the service knows its owner by a process that is older than itself
  const { code, stdout, stderr } = await phone.run(`${INSTALL} -s -- --lan && shellphone pair`, env)
  t.equal(code, 0, stderr)
  t.match(stdout, /^Shellphone is running: https:\/\/192\.168\.43\.7:8029$/m)
  const [line] = /shellphone remote add phone 'https:[^']+'/.exec(stdout) ?? []
  t.match(await laptop.run(line!), { code: 0, stdout: /paired/ })
  t.match(await laptop.run(`shellphone run --on phone 'echo "at $HOME"; exit 3'`), {
    code: 3,
    stdout: `at ${phoneHome}\n`,
  })
  const plain = await laptop.run('curl -s http://192.168.43.7:8029/health')
  t.match(plain.stdout, /"type":"tls_required"/, 'only TLS')
})

t.test("approves a command with the phone's notification", async () => {
  const asked = laptop.start(`shellphone run --on phone '${ASKING}'`)
  await pressButton(phone, ASKING, 'Approve')
  await asked.prints(/^done on the phone$/m)
})

t.test('copies files and directories in both directions', async (t) => {
  mkdirSync(join(laptop.home, 'photos'))
  const bytes = Buffer.alloc(300_000, 'photo')
  writeFileSync(join(laptop.home, 'photos/one.jpg'), bytes)
  const lines = [
    'cp todo phone:note.txt',
    'cp phone:note.txt copied.txt',
    'cp -r photos phone:',
    'cp -r phone:photos back',
  ]
  for (const line of lines) t.match(await laptop.run(`shellphone ${line}`), { code: 0 }, line)
  t.equal(readFileSync(phone.path(`${phoneHome}/note.txt`), 'utf8'), 'echo "done on the laptop"\n')
  t.equal(readFileSync(join(laptop.home, 'copied.txt'), 'utf8'), 'echo "done on the laptop"\n')
  t.ok(readFileSync(join(laptop.home, 'back/one.jpg')).equals(bytes))
})

t.test('an MCP client runs a command on both', async (t) => {
  for (const [words, home] of [
    [[], laptop.home],
    [['--on', 'phone'], phoneHome],
  ] as const) {
    const client = new Client({ name: 'newcomer', version: '1' })
    t.teardown(() => client.close())
    const args = [...laptop.enter, 'shellphone', 'mcp', ...words]
    await client.connect(new StdioClientTransport({ command: 'nsenter', args, env: laptop.env }))
    const result = await client.callTool({ name: 'exec', arguments: { command: 'echo "at $HOME"' } })
    t.match(result.structuredContent, { status: 'completed', stdout: `at ${home}\n` })
  }
})

t.test('joins a fleet', { skip: noBroker ?? false }, async (t) => {
  laptop.program('nats-server', `exec ${natsServer()} "$@"`)
  const init = await laptop.run('shellphone fleet init fleet --url http://127.0.0.1:8030')
  t.equal(init.code, 0, init.stderr)
  await laptop.start('nats-server -c fleet/broker/nats.conf').prints(/Server is ready/)
  const plane = { SHELLPHONE_PLANE_DIRECTORY: `${laptop.home}/fleet/plane` }
  await laptop.start('shellphone fleet serve', plane).prints(/127\.0\.0\.1:8030/)
  const { stdout } = await laptop.run('shellphone fleet invite laptop --label lab=berlin', plane)
  const joined = await laptop.run(/shellphone fleet join '[^']+'/.exec(stdout)![0])
  t.match(joined, { code: 0, stdout: /joined the fleet/ }, joined.stderr)
  await until(async () => / online /.test((await laptop.run('shellphone fleet phones', plane)).stdout))
  const ran = await laptop.run(`shellphone fleet exec lab=berlin 'echo over the fleet'`, plane)
  t.match(ran, { code: 0, stdout: /over the fleet/ }, ran.stderr)
  t.match(await laptop.run('shellphone fleet leave'), { code: 0 })
})

t.test('uninstalls, and leaves only what it says', async (t) => {
  const removed = await phone.run('sh $PREFIX/opt/shellphone/current/termux/uninstall.sh')
  t.equal(removed.code, 0, removed.stderr)
  t.match((await phone.run('command -v shellphone; find $PREFIX -name "*shellphone*"')).stdout, /^$/)
  t.ok(existsSync(phone.path(`${phoneHome}/.shellphone`)), 'the data is kept')

  const purge = 'sh ~/.local/share/shellphone/current/termux/uninstall.sh --purge'
  const refused = await laptop.run(purge)
  t.match(refused, { code: 1, stderr: /a service \(pid \d+\) still uses .*; stop it with kill \d+ and run this again/ })
  await laptop.run(/kill \d+/.exec(refused.stderr)![0])
  t.ok(await until(async () => (await laptop.run(purge)).code === 0))
  const made = ['todo', 'copied.txt', 'photos', 'back', 'fleet']
  const left = filesIn(laptop.home).filter(
    (name) => !before.includes(name) && !made.some((one) => name === one || name.startsWith(`${one}/`)),
  )
  t.same(left, [])
})
