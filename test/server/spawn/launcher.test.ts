import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import t, { type Test } from 'tap'
import {
  type Sandbox,
  type KillTimes,
  noLimits,
  note,
  type Note,
  type SpawnRequest,
} from '../../../src/shared/schema/index.ts'
import type { FoundLauncher } from '../../../src/server/spawn/find-launcher.ts'
import { createLauncherSpawner } from '../../../src/server/spawn/launcher.ts'
import { requests, bounds, endedBy, messages } from '../../../src/server/spawn/launcher-numbers.ts'
import {
  createFrameReader,
  fromNumbers,
  toFrame,
  toNumbers,
  toSpawn,
  toWindow,
} from '../../../src/server/spawn/launcher-protocol.ts'
import { openSpawner } from '../../../src/server/spawn/open-spawner.ts'
import { readStat } from '../../../src/server/spawn/scan-processes.ts'
import { root, soon, spawnBeside, wants, until } from '../../support/helper.ts'
import { createRandom } from '../../support/random.ts'
import { escapes } from '../../support/spawn/escapes.ts'
import { isAlive, launcherFor, noLandlock, program, request, sleep, start } from '../../support/spawn/harness.ts'

const { folder, path, missing } = launcherFor('launcher', ['-Werror'])
/** Offers exactly these launchers. */
const only = (launchers: FoundLauncher[]) => () => ({ launchers, notBuilt: null })
wants(t, missing && `no launcher: ${missing}`)

/** The launcher under AddressSanitizer and UBSan; a finding kills it with a signal, or ends it with a report. */
const sanitizers = ['-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer']
const { path: checked, missing: noSanitizers } = launcherFor('launcher-checked', sanitizers, folder)
const env = { ASAN_OPTIONS: 'detect_leaks=0' } // leak detection needs ptrace, which the launcher forbids

/** A program that sheds everything that could identify it, and writes its pid to a file. */
const escapee = program('spawn/escapee', folder)

/** A program that ignores SIGCHLD, so the kernel reaps its children. */
const careless = program('spawn/careless', folder)

const open = (t: Test, more = {}) => {
  const spawner = createLauncherSpawner({ path, sandboxes: true, ...more })
  t.teardown(async () => (await spawner).close())
  return spawner
}

/** The pid that the escaped process wrote. */
async function escaped(file: string): Promise<number> {
  await until(() => existsSync(file))
  return Number(readFileSync(file, 'utf8'))
}

const { path: oldKernel } = launcherFor('launcher-old-kernel', ['-O0', '-DCHILD_LIST="nosuchfile"'], folder)

for (const binary of [path, oldKernel]) {
  t.test(`whatever a process sheds, it does not outlive its run: ${binary}`, async (t) => {
    const spawner = await open(t, { path: binary })
    for (const [index, [name, script, graceMs]] of escapes.entries()) {
      const file = join(folder, `escaped${index}${binary === path ? '' : '-old'}`)
      const { child } = await start(spawner, script.replace('ESCAPEE', escapee).replace('FILE', file))
      const pid = await escaped(file)
      t.same([readFileSync(`/proc/${pid}/environ`, 'utf8'), readdirSync(`/proc/${pid}/fd`)], ['', []], `${name}: bare`)
      t.match(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), /^\[kworker/)
      t.ok((await child.leftBehind()).includes(pid), `${name}: found`)
      t.same((await child.end(graceMs)).survivors, [], `${name}: ended`)
      t.notOk(isAlive(pid), `${name}: dead`)
      t.same(await child.leftBehind(), [])
    }
  })
}

/** A program that starts a launcher, runs its argument in it, and prints the pids of the launcher and the shell. */
const ownerProgram = join(folder, 'owner.mjs')
buildSync({
  stdin: {
    contents: `import { createLauncherSpawner } from './src/server/spawn/launcher.ts'
      const spawner = await createLauncherSpawner({ path: ${JSON.stringify(path)}, sandboxes: false })
      const child = await spawner.spawn(JSON.parse(process.argv[2]), { onOutput() {} })
      console.log(spawner.facts.pid, child.pid)`,
    resolveDir: root,
    loader: 'ts',
  },
  outfile: ownerProgram,
  bundle: true,
  format: 'esm',
  platform: 'node',
})

/** Starts that program with a script that starts an escaping process. */
function startOwner(file: string) {
  const script = `${escapee} ${file}; trap "" TERM; while :; do sleep 1; done`
  return spawnBeside(process.execPath, [ownerProgram, JSON.stringify(request(script))])
}

t.test('no process of a run survives kill -9 of the service or the launcher', async (t) => {
  for (const victim of ['service', 'launcher']) {
    const file = join(folder, `owned-by-${victim}`)
    const owner = startOwner(file)
    const gone = once(owner, 'exit').then(([code]) => Promise.reject(new Error(`the owner ended with ${code}`)))
    const [line] = await Promise.race([once(owner.stdout, 'data'), gone])
    const [launcher, shell] = String(line).split(' ').map(Number)
    const pid = await escaped(file)
    const reaper = readStat(shell!)!.parent
    process.kill(victim === 'service' ? owner.pid! : launcher!, 'SIGKILL')
    await until(() => ![launcher!, shell!, pid, reaper].some(isAlive))
    t.pass(`${victim} killed: launcher, reaper, shell and the escaped process are gone`)
    owner.kill('SIGKILL')
  }
})

t.test('if the launcher dies, its runs end with a note, and the next spawn starts another', async (t) => {
  const spawner = await open(t)
  const first = spawner.facts.pid
  const { child } = await start(spawner, 'sleep 300', { stdin: 'pipe' })
  const writing = child.write(Buffer.alloc(4 << 20))
  const leaving = child.leftBehind()
  process.kill(first, 'SIGKILL')
  t.match(await child.exited, { exitCode: null, signal: null, note: note('LAUNCHER_DIED') })
  await child.closed
  await leaving // the launcher may have replied just before it died
  t.same([await writing, await child.end(1000)], [false, { ended: 0, survivors: [] }])
  await until(() => !isAlive(child.pid))
  const again = await start(spawner, 'echo back')
  t.same([await again.child.exited, await again.lines(1)], [{ exitCode: 0, signal: null }, ['back']])
  t.not(spawner.facts.pid, first)
  const both = [start(spawner, 'exit 1'), start(spawner, 'exit 2')]
  for (const [index, run] of both.entries()) t.equal((await (await run).child.exited).exitCode, index + 1)
})

t.test('survives a command that attacks its reaper', async (t) => {
  const spawner = await open(t)
  const other = await start(spawner, 'read go; exit 5', { stdin: 'pipe' })
  const file = join(folder, 'reaperless')
  const killer = await start(
    spawner,
    `${escapee} ${file}; while [ ! -s ${file} ]; do sleep 0.01; done; kill -9 $PPID; sleep 300`,
  )
  t.match(await killer.child.exited, { exitCode: null, signal: null, note: note('KEEPER_KILLED', true) })
  const pid = await escaped(file)
  await until(() => !isAlive(pid) && !isAlive(killer.child.pid))
  t.same(await killer.child.end(1000), { ended: 0, survivors: [] })
  const stopper = await start(spawner, 'sleep 300 & kill -STOP $PPID; echo stopped; sleep 300')
  await stopper.lines(1)
  t.same((await stopper.child.end(0)).survivors, [], 'a stopped reaper continues when it is needed')
  t.match(await stopper.child.exited, { signal: 'SIGKILL' })
  await other.child.write(Buffer.from('go\n'))
  t.equal((await other.child.exited).exitCode, 5, 'nobody else notices')
})

t.test('a reaper supervises one run after another', async (t) => {
  const spawner = await open(t)
  const reaperOf = async (script: string) => {
    const { child, lines } = await start(spawner, `${script}; echo $PPID; ulimit -n; nice`)
    const [reaper, ...rest] = await lines(3)
    await child.exited
    await until(async () => (await child.leftBehind()).length === 0)
    return { pid: Number(reaper), rest }
  }
  const first = await reaperOf(':')
  t.same(await reaperOf(':'), first, 'the same one')
  const changes = ['prlimit --pid $PPID --nofile=77', 'renice -n $(($(nice) + 5)) -p $PPID >&2']
  for (const change of changes) {
    const changed = await reaperOf(change)
    const next = await reaperOf(':')
    t.same(next.rest, first.rest, `${change}: nobody else's business`)
    t.not(next.pid, changed.pid)
  }
  const idle = await reaperOf(':')
  process.kill(idle.pid, 'SIGKILL')
  await until(() => !isAlive(idle.pid))
  // the service must first read the end of this reaper's socket: a run sent before that ends as "not known whether it ran"
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  const next = await reaperOf(':')
  t.not(next.pid, idle.pid, 'killed while it was idle: another one takes the run')
  process.kill(next.pid, 'SIGSTOP')
  t.same(await reaperOf(':'), next, 'stopped while idle: it continues')
  const sleepers = await Promise.all([1, 2, 3].map(() => start(spawner, 'echo $PPID; read go', { stdin: 'pipe' })))
  const reapers = await Promise.all(sleepers.map(async ({ lines }) => Number((await lines(1))[0])))
  t.equal(reapers.filter(isAlive).length, 3)
  for (const { child } of sleepers) child.endStdin()
  await until(() => reapers.filter(isAlive).length === 1)
  t.pass('all but one leave when they have been idle for a second')
  t.ok(reapers.includes((await reaperOf(':')).pid), 'which takes the next run')
})

t.test('enforces limits on a whole tree', async (t) => {
  const spawner = await open(t)
  const rows: [string, Partial<SpawnRequest['limits']>, Note][] = [
    ['for i in 1 2 3 4 5 6 7 8 9; do setsid sleep 300 & done; wait', { processes: 5 }, note('PROCESSES_EXCEEDED', 5)],
    [
      'while :; do (i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done); done',
      { cpuSeconds: 1 },
      note('CPU_TIME_EXCEEDED', 1),
    ],
    [careless, { cpuSeconds: 1 }, note('CPU_TIME_EXCEEDED', 1)],
  ]
  for (const [script, limits, why] of rows) {
    const { child } = await start(spawner, script, { limits: { ...noLimits, ...limits } })
    t.match(await soon(child.exited), { signal: 'SIGKILL', note: why }, why.code)
    t.same(await child.leftBehind(), [])
  }
  const inside = await start(spawner, 'sleep 0.2 & sleep 0.2 & wait; ulimit -c', {
    limits: { ...noLimits, processes: 3 },
  })
  t.same([await inside.child.exited, await inside.lines(1)], [{ exitCode: 0, signal: null }, ['0']])
  const stricter = await start(spawner, 'ulimit -Hn; ulimit -n 30 && ulimit -n 31', {
    limits: { ...noLimits, openFiles: 30, oomScoreAdj: -1000, nice: -20 },
  })
  t.same(
    [await stricter.lines(1), (await stricter.child.exited).exitCode],
    [['30'], 2],
    'for good; weaker ones than ours change nothing',
  )
  const score = { limits: { ...noLimits, oomScoreAdj: 300 } }
  t.same(await (await start(spawner, 'cat /proc/$$/oom_score_adj', score)).lines(1), ['300'])
  const tooHigh = start(spawner, 'echo never', { limits: { ...noLimits, oomScoreAdj: 5000 } })
  await t.rejects(tooHigh, { message: /EINVAL.*oomScoreAdj/ })
})

t.test('such limits cause few checks of a quiet run, and apply when it is active again', async (t) => {
  const spawner = await open(t, { sandboxes: false })
  const limits = { ...noLimits, processes: 24, cpuSeconds: 60 }
  const { child, lines } = await start(spawner, 'echo $PPID; sleep 300', { limits })
  const [reaper] = await lines(1)
  const late = 'sleep 3; for i in 1 2 3 4 5 6 7; do for j in 1 2 3 4; do sleep 300 & done; done; wait'
  const bomb = await start(spawner, late, { limits })
  t.match(await bomb.child.exited, { signal: 'SIGKILL', note: note('PROCESSES_EXCEEDED', 24) })
  const looks = () =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${reaper}/status`, 'utf8'))![1])
  const isQuiet = async () => {
    const beganMs = performance.now()
    const before = looks()
    await sleep(3000) // real time, during which little happens
    return looks() - before <= (performance.now() - beganMs) / 1000
  }
  t.ok(await until(isQuiet), 'one wake-up a second at most')
  await child.end(0)
  t.same(await bomb.child.leftBehind(), [])
})

t.test('floods of output do not fill memory or starve other runs', async (t) => {
  const spawner = await open(t)
  const floods = await Promise.all(
    Array.from({ length: 4 }, () => spawner.spawn(request('yes; true'), { onOutput: () => {} })),
  )
  const held = await spawner.spawn(request('yes; true'), { onOutput: () => {} })
  held.pause()
  for (let i = 0; i < 6; i++) {
    const { child, lines } = await start(spawner, 'echo through')
    t.same(await lines(1), ['through'])
    await child.closed
  }
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${spawner.facts.pid}/status`, 'utf8'))![1])
  t.ok(rss < 16 * 1024, `the launcher takes ${rss} KiB`)
  for (const child of [...floods, held]) t.same((await child.end(0)).survivors, [])
  held.detach()
  await Promise.all([...floods, held].map(({ closed }) => closed))
})

t.test('output written before the exit arrives before it, even beyond the window', async (t) => {
  const spawner = await open(t, { sandboxes: false })
  let bytes = 0
  const onOutput = (_: string, chunk: Buffer) => {
    bytes += chunk.length
  }
  const child = await spawner.spawn(request('head -c 1100000 /dev/zero'), { onOutput })
  child.pause()
  await child.exited
  child.resume()
  // on a busy machine start and exit arrive together: the start is reported one turn later
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(bytes, 1_100_000)
  await child.closed
})

t.test('refuses a sandbox that is not available, and runs nothing', async (t) => {
  const file = join(folder, 'written')
  const sandbox: Sandbox = { name: 'read-only', network: true, writable: [], hidden: [] }
  const rows: [string, object, SpawnRequest['sandbox']][] = [
    ['no Landlock', { sandboxes: false }, sandbox],
    ['nothing to hide there', {}, { ...sandbox, hidden: ['/nonexistent/folder'] }],
    ['nothing to write in there', {}, { ...sandbox, name: 'workspace-write', writable: ['/nonexistent/folder'] }],
  ]
  for (const [name, options, wanted] of rows) {
    const spawner = await open(t, options)
    await t.rejects(start(spawner, `echo x > ${file}`, { sandbox: wanted }), { message: /sandbox/ }, name)
  }
  const disproved = await open(t)
  disproved.allowSandboxes(['none'])
  await t.rejects(
    start(disproved, `echo x > ${file}`, { sandbox }),
    { message: /read-only sandbox/ },
    'the self-test failed',
  )
  const external = await open(t, { externalSandbox: ['/usr/bin/env'] })
  await t.rejects(start(external, `echo x > ${file}`, { sandbox: { ...sandbox, network: false } }), {
    message: /network/,
  })
  t.notOk(existsSync(file))
})

t.test('reuses the rules that hide a folder, and follows changes beside it', async (t) => {
  const spawner = await open(t)
  const reason = noLandlock(spawner)
  if (reason) return t.plan(0, reason)
  const beside = join(folder, 'beside')
  mkdirSync(join(beside, 'home'), { recursive: true })
  writeFileSync(join(beside, 'home', 'secret'), 'secret')
  const sandbox: Sandbox = { name: 'read-only', network: true, writable: [], hidden: [join(beside, 'home')] }
  const read = async () => {
    const { child, text } = await start(
      spawner,
      `cd ${beside}; for f in home/secret first later; do cat $f 2>&1; done; echo $PPID`,
      { sandbox },
    )
    await Promise.all([child.exited, child.closed])
    await until(async () => (await child.leftBehind()).length === 0)
    return text()
  }
  writeFileSync(join(beside, 'first'), 'first\n')
  // a very recent modification time would not be trusted: the file could change again without a new time
  for (const changed of [folder, beside]) utimesSync(changed, 1e9, 1e9)
  const one = await read()
  t.match(one, /^cat: home\/secret: Permission denied\nfirst\ncat: later: No such file/)
  t.equal(await read(), one, 'again, by the same reaper')
  writeFileSync(join(beside, 'later'), 'later\n')
  const hidden = /^cat: home\/secret: Permission denied\nfirst\nlater\n/
  t.match(await read(), hidden, 'a file that came meanwhile can be read')
  renameSync(join(beside, 'home'), join(beside, 'moved'))
  mkdirSync(join(beside, 'home'))
  writeFileSync(join(beside, 'home', 'secret'), 'another')
  t.match(await read(), hidden, 'what has the hidden name now is hidden')
})

t.test('chooses a spawner and gives the reason', async (t) => {
  const settings = {
    use: 'auto',
    landlock: 'auto',
    externalSandbox: null,
    shell: '/bin/sh',
    env: { PATH: process.env.PATH! },
    tmpDir: folder,
    platform: 'linux',
    launchers: () => ({ launchers: [{ path, what: 'the launcher' }], notBuilt: null }),
  } as const
  const rows: [object, name: string, reason: RegExp, sandboxes: number | null][] = [
    [{}, 'launcher', /works/, null],
    [{ platform: 'android' }, 'launcher', /works/, 1],
    [{ landlock: 'off' }, 'launcher', /works/, 1],
    [{ use: 'child_process' }, 'child_process', /configuration/, 1],
    [{ launchers: only([{ path: '/bin/true', what: 'this one' }]) }, 'child_process', /exited immediately/, 1],
    [{ launchers: only([{ path: '/nonexistent', what: 'that one' }]) }, 'child_process', /ENOENT/, 1],
    [{ landlock: 'off', externalSandbox: ['env'] }, 'launcher', /works/, 1],
    [{ landlock: 'off', externalSandbox: ['nosuchprogram'] }, 'launcher', /works/, 1],
  ]
  for (const [more, name, reason, sandboxes] of rows) {
    const opened = await openSpawner({ ...settings, ...more })
    t.same(
      [opened.spawner.name, sandboxes ?? opened.sandboxes.available.length],
      [name, opened.sandboxes.available.length],
    )
    t.match(opened.reason, reason)
    t.equal(
      opened.sandboxes.reason === null,
      opened.sandboxes.available.length === 3,
      opened.sandboxes.reason ?? 'all sandboxes',
    )
    await opened.spawner.close()
  }
  await t.rejects(
    openSpawner({ ...settings, use: 'launcher', launchers: only([{ path: '/nonexistent', what: 'that one' }]) }),
  )
})

/** Starts a launcher on bare sockets; returns its slots. */
function startBare(args: string[] = [], binary = checked) {
  const slots = Array.from({ length: 8 }, () => 'pipe' as const)
  const child = spawn(binary, [String(slots.length), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...slots],
  })
  let said = ''
  child.stderr!.on('data', (chunk) => {
    said += chunk
  })
  const [control, ...sockets] = child.stdio.slice(3) as Socket[]
  for (const socket of [control!, ...sockets]) socket.on('error', () => {})
  const over = once(child, 'close').then(([code, signal]) => ({ code, signal, said }))
  const close = () => [control!, ...sockets].forEach((socket) => socket.destroy())
  return { control: control!, sockets, over, close }
}

const spawnOf = (script: string, more: Partial<SpawnRequest> = {}, killTimes?: KillTimes) =>
  toSpawn(request(script, more), ['/bin/sh', '-c', script], killTimes)
const header = (size: number, type: number, tail = 0) => {
  const frame = toFrame(type)
  frame.writeUInt32LE(size, 0)
  frame[6] = tail
  return frame
}

t.test('malformed input ends the launcher with one line', { skip: noSanitizers ?? false }, async (t) => {
  const started = [toFrame(requests.spawn, spawnOf('sleep 300', { stdin: 'pipe' }))]
  const long = Buffer.alloc(8)
  const tooLate: KillTimes = { afterMs: 2 ** 50, graceMs: 0 }
  const rows: [string, Buffer[], RegExp][] = [
    ['a length beyond 3 MiB', [header(2 ** 32 - 1, requests.spawn)], /header/],
    ['header bytes that must be zero', [header(0, requests.end, 1)], /header/],
    ['an unknown type', [...started, toFrame(63)], /unknown type/],
    ['type 0, at rest', [toFrame(0)], /unknown type/],
    ['a run beside the run', [...started, toFrame(requests.spawn, spawnOf('true'))], /another run/],
    ['spawn cut short', [toFrame(requests.spawn, spawnOf('true').subarray(0, 60))], /short/],
    ['spawn without its last byte', [toFrame(requests.spawn, spawnOf('true').subarray(0, -1))], /lists/],
    ['spawn with more behind', [toFrame(requests.spawn, spawnOf('true'), long)], /lists/],
    ['a relative cwd', [toFrame(requests.spawn, spawnOf('true', { cwd: 'x' }))], /lists/],
    [
      'a limit below zero',
      [toFrame(requests.spawn, spawnOf('true', { limits: { ...noLimits, openFiles: -1 } }))],
      /limit/,
    ],
    ['a deadline in a thousand years', [toFrame(requests.spawn, spawnOf('true', {}, tooLate))], /deadline/],
    ['stdin of no bytes', [...started, toFrame(requests.stdin)], /stdin/],
    ['too much stdin', [...started, toFrame(requests.stdin, Buffer.alloc(65537))], /stdin/],
    [
      'stdin not waited for',
      [...started, ...[1, 2, 3].map(() => toFrame(requests.stdin, Buffer.alloc(65536)))],
      /stdin/,
    ],
    ['credit for nothing', [...started, toFrame(requests.credit, toNumbers(1))], /credit/],
    ['signal 0', [...started, toFrame(requests.signal, toNumbers(0))], /signal/],
    ['a grace below zero', [...started, toFrame(requests.end, toNumbers(-1))], /grace/],
    ['a wrong size', [...started, toFrame(requests.left, long)], /size/],
    ['a window without columns', [toFrame(requests.windowSize, toNumbers(24))], /window/],
    ['a window of no size', [...started, toFrame(requests.windowSize)], /size/],
    [
      'a terminal without rows',
      [toFrame(requests.spawn, spawnOf('true', { terminal: { rows: 0, columns: 80 } }))],
      /window/,
    ],
  ]
  for (const [flag, value] of [
    [0, 2],
    [1, 3],
    [2, 2],
    [3, 1],
  ] as const) {
    const payload = spawnOf('true')
    payload[flag] = value
    rows.push([`spawn flag ${flag}`, [toFrame(requests.spawn, payload)], /flags/])
  }
  await Promise.all(
    rows.map(async ([name, frames, message], index) => {
      const { sockets, over } = startBare()
      for (const frame of frames) sockets[index % 8]!.write(frame)
      const { code, said } = await soon(over)
      t.equal(code, 65, name)
      t.match(said, message, name)
      t.match(said, /^launcher: protocol error: .*\n$/)
    }),
  )
})

t.test('a reaper whose slot is cut within a frame ends its run and exits', async (t) => {
  const { sockets, over, close } = startBare(['--no-boxes'], path)
  const slot = sockets[0]!
  const started = new Promise<number>((resolve) => {
    slot.on(
      'data',
      createFrameReader((type, body) => void (type === messages.started && resolve(body.readInt32LE(0)))),
    )
  })
  slot.write(toFrame(requests.spawn, spawnOf('sleep 300', { stdin: 'pipe' })))
  const shell = await started
  const reaper = readStat(shell)!.parent
  slot.end(toFrame(requests.stdin, Buffer.alloc(60_000)).subarray(0, 1000))
  slot.destroy()
  await until(() => !isAlive(shell))
  await until(() => !isAlive(reaper))
  t.pass('the launcher, which lives, keeps no reaper of a run that is over')
  close()
  t.match(await over, { code: 0, said: '' })
})

t.test('random bytes cause no crash and no command without its sandbox', { skip: noSanitizers ?? false }, async (t) => {
  const file = join(folder, 'out-of-the-sandbox')
  const sandbox: Sandbox = { name: 'read-only', network: false, writable: [], hidden: [] }
  const spawnFrame = toFrame(requests.spawn, spawnOf(`echo x > ${file}`, { sandbox }))
  const random = createRandom(27)
  for (let round = 0; round < 12; round++) {
    const { sockets, over, close } = startBare(round % 2 ? ['--no-boxes'] : [])
    const frame = Buffer.from(spawnFrame)
    // the sandbox flags stay unchanged, because other flags would request another sandbox
    for (let i = 0; i < round % 5; i++) {
      frame[24 + Math.floor(random() * (frame.length - 24))] = random() * 256
    }
    const slot = sockets[round % 8]!
    slot.write(frame)
    slot.end(Buffer.from(Array.from({ length: 20_000 }, () => random() * 256)))
    await Promise.race([over, once(slot, 'close').catch(() => {})]) // EPIPE: the launcher has closed its end
    close()
    const { code, signal, said } = await over
    t.same([code === 0 || code === 65, signal], [true, null], said)
  }
  t.notOk(existsSync(file))
})

t.test('AddressSanitizer and UBSan find nothing in a session', { skip: noSanitizers ?? false }, async (t) => {
  const { control, sockets, over, close } = startBare()
  const stderr = over.then(({ said }) => said)
  const events: [number, number, Buffer][] = []
  let changed = () => {}
  for (const [slot, socket] of [control, ...sockets].entries()) {
    const read = createFrameReader((type, payload) => {
      events.push([slot, type, payload])
      changed()
    })
    socket.on('data', read)
  }
  const came = (slot: number, type: number) =>
    new Promise<Buffer>((resolve, reject) => {
      void over.then(({ code, said }) =>
        reject(new Error(`no ${type} on ${slot}: the launcher ended with ${code}: ${said}`)),
      )
      changed = () => {
        const event = events.find((e) => e[0] === slot && e[1] === type)
        if (event) resolve(event[2])
      }
      changed()
    })
  const say = (slot: number, type: number, payload: Buffer = Buffer.alloc(0)) =>
    sockets[slot - 1]!.write(toFrame(type, payload))
  const [version, landlockAbi] = fromNumbers(await came(0, messages.ready))
  t.equal(version, bounds.version)
  const sandboxed = landlockAbi! >= 3 ? messages.exited : messages.failed
  const work = join(folder, 'work')
  mkdirSync(work)
  const writes: Sandbox = {
    name: 'workspace-write',
    network: true,
    writable: [work],
    hidden: [join(folder, 'launcher')],
  }
  const scripts: [string, Partial<SpawnRequest>, last: number][] = [
    ['echo hi; echo e >&2; (sleep 0.05 &); exit 3', {}, messages.exited],
    ['cat', { stdin: 'pipe' }, messages.started],
    ['echo x', { sandbox: { name: 'read-only', network: false, writable: [], hidden: [folder] } }, sandboxed],
    ['echo x', { sandbox: writes }, sandboxed],
    [
      'sleep 300 & setsid sleep 300 & sleep 300',
      { limits: { ...noLimits, processes: 2, cpuSeconds: 5 } },
      messages.exited,
    ],
    ['setsid sleep 300 & echo on; sleep 300', {}, messages.stdout],
    ['yes', {}, messages.started],
    ['true', { cwd: '/nonexistent' }, messages.failed],
  ]
  for (const [index, [script, more, last]] of scripts.entries()) {
    say(index + 1, requests.spawn, spawnOf(script, more))
    await came(index + 1, last)
  }
  say(2, requests.stdin, Buffer.from('to and fro'))
  t.equal(String(await came(2, messages.stdout)), 'to and fro')
  say(2, requests.stdinEnd)
  await came(2, messages.empty)
  say(6, requests.left)
  t.ok(fromNumbers(await came(6, messages.leftList)).length >= 1)
  say(6, requests.signal, toNumbers(15))
  say(6, requests.end, toNumbers(100))
  await came(6, messages.ended)
  await came(7, messages.stdout)
  say(7, requests.detach)
  await came(7, messages.empty)
  await came(1, messages.empty)
  say(1, requests.leave)
  events.length = 0
  say(1, requests.spawn, spawnOf('sleep 300', {}, { afterMs: 20, graceMs: 60_000 }))
  t.same(
    fromNumbers(await came(1, messages.exited)),
    [15, endedBy.deadline],
    'by another reaper, which keeps the deadline',
  )
  const screen = { stdin: 'pipe', terminal: { rows: 24, columns: 80 } } as const
  const optionalSandbox = landlockAbi! >= 3 ? { sandbox: writes } : {}
  say(
    8,
    requests.spawn,
    spawnOf('trap "exit 9" WINCH; echo go; while :; do sleep 0.01; done', { ...screen, ...optionalSandbox }),
  )
  t.equal(String(await came(8, messages.stdout)), 'go\r\n')
  say(8, requests.windowSize, toWindow({ rows: 65_535, columns: 65_535 }))
  t.same(fromNumbers(await came(8, messages.exited)), [9 << 8, 0], 'in a terminal')
  await came(8, messages.empty)
  close()
  t.same(await over, { code: 0, signal: null, said: '' }, await stderr)
})
