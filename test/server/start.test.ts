import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { toPeople } from '../../src/server/people-log.ts'
import { checkBuilt, HANG_MS, NOBODY, noNobody, processesWith, root, startService, until } from '../support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-start-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
chmodSync(folder, 0o755)
const isRoot = process.getuid!() === 0

/** Starts the service, which must fail to start, and waits until it exits. `env -i` removes the variables that tap adds. */
async function failedStart(flags: string[], { home, uid = process.getuid!() }: { home?: string; uid?: number } = {}) {
  const own = home ?? mkdtempSync(join(folder, 'home-'))
  if (uid !== process.getuid!()) chownSync(own, uid, uid)
  const variables = [`PATH=${process.env.PATH}`, 'HOME=/', `SHELLPHONE_HOME=${own}`]
  const argv = ['-i', ...variables, process.execPath, join(root, 'dist/main.js'), 'serve', '--port', '0', ...flags]
  const child = spawn('env', argv, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], uid })
  const timer = setTimeout(() => child.kill('SIGKILL'), HANG_MS)
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  return { code, said }
}

t.test('the log on a terminal depends on the event of a line, not on its text', (t) => {
  const toText = (facts: object) => toPeople(JSON.stringify({ level: 30, time: '2026-11-25T13:00:00.000Z', ...facts }))
  const facts = { version: '1.2.3', address: 'http://x', home: '/h', sandbox: ['none'], spawner: 's', why: 'w' }
  t.match(
    toText({ event: 'LISTENING', ...facts, msg: 'in any words' }),
    /^Shellphone 1\.2\.3 listens at http:\/\/x\n[^]*\(in another terminal; shellphone help lists all commands\)\n  stop       Ctrl-C\n/,
  )
  t.equal(toText({ address: 'http://plane', msg: 'listening' }), '13:00:00 listening, address http://plane\n')
  t.equal(toText({ event: 'STOPPING', signal: 'SIGTERM', msg: 'stopping' }), '13:00:00 stopping, signal SIGTERM\n')
  t.end()
})

t.test('a failed start reports the reason in one line, and exits with 2 for an invalid setting', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  const rows: [string, string[], number, RegExp][] = [
    [
      'a port that is taken',
      ['--port', `${port}`],
      1,
      /^shellphone: setting port: 127\.0\.0\.1 port \d+ is already in use; stop the program that listens there, or choose another port\n$/,
    ],
    [
      'a foreign address',
      ['--host', '192.0.2.1'],
      1,
      /^shellphone: setting host: 192\.0\.2\.1 port 0 cannot be opened: this machine has no such address; use 0\.0\.0\.0 for all of its addresses\n$/,
    ],
    [
      'a name that is none',
      ['--host', 'no.such.name.invalid'],
      1,
      /^shellphone: setting host: .*no\.such\.name\.invalid.*\n$/,
    ],
    [
      'no such shell',
      ['--shell', '/nope'],
      2,
      /^shellphone: setting shell: expected a program that can be run, got "\/nope" \(ENOENT\)\n$/,
    ],
    [
      'a folder as shell',
      ['--shell', '/tmp'],
      2,
      /^shellphone: setting shell: expected a program that can be run, got "\/tmp" .*\n$/,
    ],
    [
      'no such directory',
      ['--working-directory', '/nope'],
      2,
      /^shellphone: setting working_directory: expected a directory that can be entered, got "\/nope" \(ENOENT\)\n$/,
    ],
    [
      'a file as directory',
      ['--working-directory', '/etc/passwd'],
      2,
      /^shellphone: setting working_directory: .*got "\/etc\/passwd" \(ENOTDIR\)\n$/,
    ],
  ]
  for (const [name, flags, status, expected] of rows) {
    const { code, said } = await failedStart(flags)
    t.equal(code, status, name)
    t.match(said, expected, name)
  }
})

t.test('reports a port that only root may use', async (t) => {
  const skip = isRoot ? noNobody : 'only root can start a service as another user'
  if (skip) return t.pass('EACCES', { skip })
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  if (first <= 80) return t.pass('EACCES', { skip: `every user may listen at port ${first} here` })
  const { code, said } = await failedStart(['--port', '80'], { uid: NOBODY })
  t.equal(code, 1)
  t.match(
    said,
    /^shellphone: setting port: 127\.0\.0\.1 port 80 is not permitted for this user; choose a port from 1024 upwards\n$/,
  )
})

t.test("refuses another user's home and another user's token file", async (t) => {
  if (!isRoot) return t.pass('refused', { skip: 'only root can make what belongs to another user' })
  const planted = join(folder, 'planted')
  mkdirSync(planted, { mode: 0o700 })
  chownSync(planted, NOBODY, NOBODY)
  const expected = /^shellphone: setting SHELLPHONE_HOME: .*\/planted, which belongs to user 65534, not to 0\n$/
  t.match(await failedStart([], { home: planted }), { code: 2, said: expected })
  t.notOk(existsSync(join(planted, 'token')), 'nothing is created in it')
  chownSync(planted, 0, 0)
  writeFileSync(join(planted, 'token'), 'known-to-somebody\n', { mode: 0o600 })
  chownSync(join(planted, 'token'), NOBODY, NOBODY)
  t.match(await failedStart([], { home: planted }), {
    code: 1,
    said: /\/planted\/token, which belongs to user 65534, not to 0\n$/,
  })
})

t.test('does not use its working directory if HOME is empty', async (t) => {
  for (const HOME of ['', 'relative']) {
    const service = await startService({ env: { HOME } })
    t.teardown(() => service.stop())
    t.hasStrict(await service.exec({ command: 'pwd' }), { stdout: `${userInfo().homedir}\n` }, JSON.stringify(HOME))
  }
})

t.test("starts with a PREFIX that is not Termux's", async (t) => {
  const service = await startService({ env: { PREFIX: '/nonexistent' } })
  t.teardown(() => service.stop())
  t.hasStrict(await service.exec({ command: 'echo on' }), { stdout: 'on\n' })
})

t.test('npm start leaves nothing running if it is killed by its pid', async (t) => {
  const home = mkdtempSync(join(folder, 'npm-'))
  const env = { ...process.env, SHELLPHONE_HOME: home, SHELLPHONE_PORT: '0' }
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  const exited = once(npm, 'exit')
  let said = ''
  npm.stdout.on('data', (chunk) => (said += chunk))
  t.ok(await until(() => said.includes('"listening"')))
  const pid = Number(readFileSync(join(home, 'lock'), 'utf8').split(' ')[0])
  process.kill(npm.pid!, 'SIGTERM')
  await exited
  t.ok(await until(() => !existsSync(`/proc/${pid}`)), 'the service has ended')
  t.notOk(existsSync(join(home, 'lock')), 'in good order')
  t.same(processesWith(home), [])
})

t.test('npm test without root and without a compiler reports what is missing and continues', async (t) => {
  const bin = t.testdir({ 'apt-get': '#!/bin/sh\nexit 9\n', id: '#!/bin/sh\necho 1000\n' })
  for (const name of ['apt-get', 'id']) chmodSync(join(bin, name), 0o755)
  const env = { PATH: bin, HOME: bin }
  const packages = spawnSync('/bin/sh', [join(root, 'scripts/test/apt-packages.sh')], { env, encoding: 'utf8' })
  t.equal(packages.status, 0)
  t.match(
    packages.stdout,
    /^apt-packages: not root; install .* gcc .* yourself, or the tests that need them are skipped$/m,
  )
  const launcher = join(bin, 'launcher')
  const build = spawnSync(process.execPath, [join(root, 'scripts/build/build-launcher.mjs'), launcher], {
    env,
    encoding: 'utf8',
  })
  t.equal(build.status, 0)
  t.match(build.stdout, /^launcher: not built \(.*\); a prebuilt launcher runs commands/)
  t.notOk(existsSync(launcher))
})

t.test('a suite that would run an older dist fails at once and says so', (t) => {
  const checkout = mkdtempSync(join(folder, 'checkout-'))
  for (const [file, seconds] of [
    ['src/pool/old.ts', 1000],
    ['dist/metafile.json', 2000],
  ] as const) {
    mkdirSync(join(checkout, file, '..'), { recursive: true })
    writeFileSync(join(checkout, file), '')
    utimesSync(join(checkout, file), seconds, seconds)
  }
  const setTime = (path: string, seconds: number) => utimesSync(join(checkout, path), seconds, seconds)
  for (const path of ['src', 'src/pool']) setTime(path, 1000)
  checkBuilt(checkout)
  for (const path of ['src/pool/old.ts', 'src/pool']) {
    setTime(path, 3000)
    t.throws(() => checkBuilt(checkout), { message: `dist is older than ${path}: run "npm run build" first` })
    setTime(path, 1000)
  }
  rmSync(join(checkout, 'dist'), { recursive: true })
  t.throws(() => checkBuilt(checkout), { message: /npm run build/ })
  t.end()
})
