import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openHome as open } from '../src/host/index.ts'
import { readStat } from '../src/spawn/index.ts'
import { root, startService } from './helper.ts'

type Subtest = Parameters<Parameters<typeof t.test>[0]>[0]
const freshHome = (t: Subtest) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-home-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  return home
}
const openHome = (home: string, token: string | null) => open(home, token, readStat)
const startOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19]
const ours = `${process.pid} ${startOf(process.pid)}`

t.test('a home belongs to one living process at a time', async (t) => {
  const home = freshHome(t)
  const lock = join(home, 'lock')
  const other = spawn('sleep', ['60'])
  const theirs = `${other.pid} ${startOf(other.pid!)}`
  writeFileSync(lock, theirs)
  t.throws(() => openHome(home, null), {
    message: `${lock}: another shellphone (pid ${other.pid}) already uses this SHELLPHONE_HOME`,
  })
  t.equal(readFileSync(lock, 'utf8'), theirs, 'the lock of a living process stays')
  other.kill('SIGKILL')
  while (!/\) Z /.test(readFileSync(`/proc/${other.pid}/stat`, 'utf8'))); // we do not wait for it before the next await
  const { release } = openHome(home, null)
  t.equal(readFileSync(lock, 'utf8'), ours, 'a zombie holds nothing')
  release()
  await once(other, 'exit')
  writeFileSync(lock, theirs)
  openHome(home, null).release()
  t.notOk(existsSync(lock), 'nor do the dead')
})

t.test('a lock that names no living process is taken over', (t) => {
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

t.test('who releases takes only what is its own, and a home that is gone is no reason to fail', (t) => {
  const home = freshHome(t)
  const { release } = openHome(home, null)
  writeFileSync(join(home, 'lock'), `${process.ppid} 1`)
  release()
  t.ok(existsSync(join(home, 'lock')))
  rmSync(home, { recursive: true })
  release()
  t.end()
})

t.test('a second service says in one line who uses its home, and harms nothing', async (t) => {
  const first = await startService()
  t.teardown(() => first.stop())
  const running = first.exec({ command: 'sleep 1; echo unharmed' })
  const second = spawn(process.execPath, [join(root, 'dist/main.js'), '--port', '0'], {
    env: { ...process.env, SHELLPHONE_HOME: first.home },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let said = ''
  second.stderr.on('data', (chunk) => (said += chunk))
  const [code] = await once(second, 'close')
  t.equal(code, 1)
  t.equal(
    said,
    `shellphone: ${first.home}/lock: another shellphone (pid ${first.pid}) already uses this SHELLPHONE_HOME\n`,
  )
  t.hasStrict(await running, { status: 'completed', stdout: 'unharmed\n' })
})

t.test('a service that stopped starts again on a disk that is full by now', async (t) => {
  const home = freshHome(t)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'tmpfs', home], { stdio: 'pipe' })
  } catch (error) {
    return t.pass('full', { skip: `no tmpfs can be mounted here: ${String(error).split('\n')[0]}` })
  }
  t.teardown(() => execFileSync('umount', [home]))
  await (await startService({ home })).stop()
  t.throws(() => writeFileSync(join(home, 'filler'), Buffer.alloc(2_000_000)), { code: 'ENOSPC' })
  const again = await startService({ home })
  t.hasStrict(await again.exec({ command: 'echo on' }), { stdout: 'on\n' })
  t.equal(await again.stop(), 0)
})
