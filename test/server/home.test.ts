import { spawn, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openHome as open } from '../../src/server/host/index.ts'
import { readStat } from '../../src/server/spawn/index.ts'
import { HANG_MS, root, startService, until } from '../support/helper.ts'
import { startAtOnce } from '../support/start-at-once.ts'
import { mountSmall } from '../support/small-disk.ts'

type Subtest = Parameters<Parameters<typeof t.test>[0]>[0]
const freshHome = (t: Subtest) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-home-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  return home
}
const openHome = (home: string, token: string | null) => open(home, token, readStat)
const startOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19]
const ours = `${process.pid} ${startOf(process.pid)}`

t.test('a home belongs to one live process at a time', async (t) => {
  const home = freshHome(t)
  const lock = join(home, 'lock')
  const other = spawn('sleep', ['60'])
  const theirs = `${other.pid} ${startOf(other.pid!)}`
  writeFileSync(lock, theirs)
  t.throws(() => openHome(home, null), {
    message: `${lock}: another shellphone (pid ${other.pid}) already uses this SHELLPHONE_HOME`,
  })
  t.equal(readFileSync(lock, 'utf8'), theirs, 'the lock of a live process stays')
  other.kill('SIGKILL')
  while (!/\) Z /.test(readFileSync(`/proc/${other.pid}/stat`, 'utf8'))); // Node does not reap it before the next await, so it stays a zombie
  const { release } = openHome(home, null)
  t.equal(readFileSync(lock, 'utf8'), ours, 'a zombie holds no lock')
  release()
  await once(other, 'exit')
  writeFileSync(lock, theirs)
  openHome(home, null).release()
  t.notOk(existsSync(lock), 'nor does a dead process')
})

t.test('refuses a home in /proc, where no directory can be made', { skip: !existsSync('/proc/self') }, (t) => {
  for (const home of ['/proc/shellphone', '/proc/1/shellphone/deeper']) {
    const started = spawnSync(process.execPath, [join(root, 'dist/main.js'), 'serve', '--home', home, '--port', '0'], {
      encoding: 'utf8',
      timeout: HANG_MS, // before, mkdir never returned
    })
    t.match(
      started,
      { status: 2, stderr: /^shellphone: setting SHELLPHONE_HOME: expected a directory .*, got ENOENT: / },
      home,
    )
  }
  t.end()
})

t.test('takes over a lock that names no live process', (t) => {
  const home = freshHome(t)
  const lock = join(home, 'lock')
  const rows: [string, string][] = [
    ['a pid that was given out again', `${process.ppid} 1`],
    ['our own pid, from before a restart of the container', `${process.pid} 1`],
    ['a disk that was full', ''],
    ['no pid', 'x'],
    ['a group', '-1 5'],
    ['our group', '0 '],
    ['a pid that cannot be', '999999999 1'],
  ]
  for (const [name, text] of rows) {
    writeFileSync(lock, text)
    const { release } = openHome(home, null)
    t.equal(readFileSync(lock, 'utf8'), ours, name)
    release()
  }
  t.end()
})

t.test('if two processes find a stale lock, one takes it', (t) => {
  const home = freshHome(t)
  const lock = join(home, 'lock')
  const other = spawn('sleep', ['60'])
  t.teardown(() => other.kill('SIGKILL'))
  const theirs = `${other.pid} ${startOf(other.pid!)}`
  writeFileSync(lock, '999999999 1')
  /** While we check whether the holder is alive, another process finds it dead and takes the lock. */
  const meanwhile = (pid: number) => {
    if (pid === 999999999) writeFileSync(lock, theirs)
    return readStat(pid)
  }
  t.throws(() => open(home, null, meanwhile), { message: /another shellphone \(pid \d+\) already uses/ })
  t.equal(readFileSync(lock, 'utf8'), theirs)
  t.end()
})

t.test('starts one service if three start at once', (t) => startAtOnce(t, 1))

t.test('replaces an empty token or key', (t) => {
  const home = freshHome(t)
  for (const name of ['token', 'cli']) writeFileSync(join(home, name), '')
  const { owner, markKey, release } = openHome(home, null)
  const token = readFileSync(join(home, 'token'), 'utf8')
  t.match(token, /^[\w-]{43}\n$/, 'and is kept in future starts')
  t.match(markKey, /^[0-9a-f]{32}$/)
  t.equal(owner.sha256, hash('sha256', token.trim()))
  release()
  t.equal(openHome(home, null).owner.sha256, owner.sha256)
  t.end()
})

t.test('starts with only the hash of a token, and keeps a short token in plain text', (t) => {
  const home = freshHome(t)
  const files = () => readdirSync(home).filter((name) => /token|owner/.test(name))
  writeFileSync(join(home, 'token'), 'short\n')
  const first = openHome(home, null)
  t.notOk(first.owner.forgetText())
  t.same(files(), ['token'], 'each start checks its length')
  first.release()
  writeFileSync(join(home, 'token'), 'long-enough-for-the-network\n')
  const second = openHome(home, null)
  t.ok(second.owner.forgetText())
  t.notOk(second.owner.forgetText(), 'once')
  t.same(files(), ['owner.sha256'])
  second.release()
  for (const text of ['', 'no hash', 'x'.repeat(64)]) {
    writeFileSync(join(home, 'owner.sha256'), text)
    t.throws(() => openHome(home, null), { message: /owner\.sha256: expected the SHA-256 .* delete it to get a new/ })
    t.same(files(), ['owner.sha256'], `no new one is made beside ${JSON.stringify(text)}`)
  }
  t.end()
})

t.test('numbers a home of 0.1, keeps its data, and refuses the home of a newer version', (t) => {
  const home = freshHome(t)
  const format = join(home, 'format')
  const token = 'a-token-that-0.1-has-created'
  writeFileSync(join(home, 'token'), `${token}\n`)
  for (const text of [null, '', '1\n']) {
    if (text !== null) writeFileSync(format, text)
    const { owner, release } = openHome(home, null)
    t.equal(owner.sha256, hash('sha256', token), 'with its token')
    t.equal(readFileSync(format, 'utf8'), '1\n', `after ${JSON.stringify(text)}`)
    release()
  }
  for (const [text, message] of [
    ['2\n', `${format}: expected format 1, got 2, so a newer version has used this home; install that version again`],
    ['x', `${format}: expected the number 1, got "x"; restore the file, or delete it`],
    ['0\n', `${format}: expected the number 1, got "0\\n"; restore the file, or delete it`],
  ] as const) {
    writeFileSync(format, text)
    t.throws(() => openHome(home, null), { message: new RegExp(`^${message.replaceAll('\\', '\\\\')}`) })
    t.equal(readFileSync(format, 'utf8'), text)
    t.notOk(existsSync(join(home, 'lock')), 'and takes no lock')
  }
  t.end()
})

t.test('makes files private that other users could read', (t) => {
  const home = freshHome(t)
  const token = join(home, 'token')
  writeFileSync(token, 'secret\n')
  chmodSync(home, 0o755)
  chmodSync(token, 0o644)
  t.equal(openHome(home, null).owner.sha256, hash('sha256', 'secret'))
  t.same(
    [home, token].map((path) => statSync(path).mode & 0o777),
    [0o700, 0o600],
  )
  t.end()
})

t.test('releases only its own lock, even if the home no longer exists', (t) => {
  const home = freshHome(t)
  const { release } = openHome(home, null)
  writeFileSync(join(home, 'lock'), `${process.ppid} 1`)
  release()
  t.ok(existsSync(join(home, 'lock')))
  rmSync(home, { recursive: true })
  release()
  t.end()
})

t.test('a second service reports in one line who uses the home, and changes nothing', async (t) => {
  const first = await startService()
  t.teardown(() => first.stop())
  const folder = t.testdir({})
  const command = 'touch begun; until [ -e ended ]; do sleep 0.1; done; echo unharmed'
  const running = first.exec({ command, working_directory: folder })
  t.ok(await until(() => existsSync(join(folder, 'begun'))))
  const second = spawn(process.execPath, [join(root, 'dist/main.js'), 'serve', '--port', '0'], {
    env: { ...process.env, SHELLPHONE_HOME: first.home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  second.stderr.on('data', (chunk) => (said += chunk))
  const [code] = await once(second, 'close')
  t.equal(code, 1)
  t.equal(
    said,
    `shellphone: ${first.home}/lock: another shellphone (pid ${first.pid}) already uses this SHELLPHONE_HOME\n`,
  )
  writeFileSync(join(folder, 'ended'), '')
  t.hasStrict(await running, { status: 'completed', stdout: 'unharmed\n' })
})

t.test('a first start on a full disk does not prevent the next start', (t) => {
  const home = freshHome(t)
  const skip = mountSmall(t, home)
  if (skip !== null) {
    t.pass('full', { skip })
    return t.end()
  }
  t.throws(() => writeFileSync(join(home, 'filler'), Buffer.alloc(2_000_000)), { code: 'ENOSPC' })
  t.throws(() => openHome(home, null), { message: /ENOSPC/ })
  t.same(
    readdirSync(home).filter((name) => /token|mark/.test(name)),
    [],
  )
  rmSync(join(home, 'filler'))
  const { owner, release } = openHome(home, null)
  t.equal(owner.length, 43)
  release()
  t.end()
})

t.test('a stopped service starts again on a full disk', async (t) => {
  const home = freshHome(t)
  const skip = mountSmall(t, home)
  if (skip !== null) return t.pass('full', { skip })
  await (await startService({ home })).stop()
  t.throws(() => writeFileSync(join(home, 'filler'), Buffer.alloc(2_000_000)), { code: 'ENOSPC' })
  const again = await startService({ home })
  t.hasStrict(await again.exec({ command: 'echo on' }), { stdout: 'on\n' })
  t.equal(await again.stop(), 0)
})
