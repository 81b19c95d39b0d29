import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { type Child, noLimits, note } from '../../../src/shared/schema/index.ts'
import { createLauncherSpawner, type LauncherSpawner } from '../../../src/server/spawn/launcher.ts'
import { type SlotState, chooseIdle } from '../../../src/server/spawn/launcher-slots.ts'
import { watchAnswer } from '../../../src/server/spawn/launcher-watch.ts'
import { bounds, messages } from '../../../src/server/spawn/launcher-numbers.ts'
import { toFrame, toNumbers } from '../../../src/server/spawn/launcher-protocol.ts'
import { listPids, readStat } from '../../../src/server/spawn/scan-processes.ts'
import { isAlive, launcherFor, program, request, start } from '../../support/spawn/harness.ts'
import { wants, until } from '../../support/helper.ts'
import { createMovedClock } from '../../support/moved-clock.ts'

/** Tests a launcher that people or the system interfere with. */
const { folder, path, missing } = launcherFor()
wants(t, missing && `no launcher: ${missing}`)
const escapee = program('spawn/escapee', folder)

const quiet = { onOutput: () => {} }
const open = async (t: Test, more = {}): Promise<LauncherSpawner> => {
  const spawner = await createLauncherSpawner({ path, sandboxes: false, ...more })
  t.teardown(() => spawner.close())
  return spawner
}
const reaperOf = ({ pid }: Child) => readStat(pid)!.parent

/** A launcher that the system treats as Android might. */
function buildFiltered(name: string, flags: string[]): string {
  const filtered = join(folder, name)
  execFileSync('cc', [
    '-o',
    filtered,
    `-DPROGRAM="${path}"`,
    ...flags,
    fileURLToPath(new URL('../../fixtures/spawn/filtered.c', import.meta.url)),
  ])
  return filtered
}

t.test('uses no launcher on a system without child subreapers', async (t) => {
  const filtered = buildFiltered('no-subreapers', [])
  await t.rejects(open(t, { path: filtered }), { message: /no child subreapers/ })
})

t.test('ends runs even if every process that opens a process descriptor is killed', async (t) => {
  const spawner = await open(t, { path: buildFiltered('no-pidfd', ['-DNO_PIDFD']) })
  const file = join(folder, 'escaped-without-pidfd')
  const { child, lines } = await start(spawner, `${escapee} ${file}; echo escaped; read line`, { stdin: 'pipe' })
  await lines(1)
  await until(() => existsSync(file))
  const pid = Number(readFileSync(file, 'utf8'))
  t.ok(isAlive(pid))
  t.same(await child.end(100), { ended: 1, survivors: [] })
  t.notOk(isAlive(pid))
  t.match(await child.exited, { signal: 'SIGTERM' })
})

t.test('runs commands if oom_score_adj cannot be set', async (t) => {
  if (process.getuid!() !== 0) return t.pass('no /proc', { skip: 'only root can take /proc away from a launcher' })
  const blind = join(folder, 'no-proc')
  const inside = `mount -t tmpfs none /proc && exec ${path} "$@"`
  writeFileSync(blind, `#!/bin/sh\nexec unshare --mount sh -c '${inside}' sh "$@"\n`, { mode: 0o755 })
  const spawner = await open(t, { path: blind })
  const limits = { ...noLimits, oomScoreAdj: 500 }
  const child = await spawner.spawn(request('[ -e /proc/self ] || exit 7', { limits }), quiet)
  t.match(await child.exited, { exitCode: 7, signal: null })
})

t.test('a signal never reaches another process with the same pid', (t) => {
  t.equal(execFileSync(program('spawn/recycled', folder)).toString(), 'spared ended\nspared ended\n')
  const sources = fileURLToPath(new URL('../../../src/server/spawn/launcher', import.meta.url))
  const others = readdirSync(sources).filter((name) => /^(?!main|orders|ending).*\.c$/.test(name))
  const reaped = program(
    'spawn/reaped',
    folder,
    others.map((name) => join(sources, name)),
  )
  t.equal(execFileSync(reaped).toString(), 'spared\nspared\n', 'nor to the group of a shell that was reaped')
  t.end()
})

t.test('no command leaves a core dump, whatever limits the service inherited', async (t) => {
  const raised = join(folder, 'raised')
  writeFileSync(raised, `#!/bin/sh\nulimit -c unlimited && exec ${path} "$@"\n`, { mode: 0o755 })
  const spawner = await open(t, { path: raised }).catch(() => null)
  if (!spawner) return t.pass('raised', { skip: 'the limit cannot be raised here' })
  const { child, lines } = await start(spawner, 'ulimit -c; ulimit -Hc')
  t.same([await lines(2), await child.exited], [['0', '0'], { exitCode: 0, signal: null }])
})

t.test('no command reads the memory of the launcher or the reaper', async (t) => {
  const powerless = join(folder, 'powerless')
  const without = process.getuid?.() === 0 ? 'setpriv --bounding-set=-all --inh-caps=-all ' : ''
  writeFileSync(powerless, `#!/bin/sh\nexec ${without}${path} "$@"\n`, { mode: 0o755 })
  const spawner = await open(t, { path: powerless })
  const script = `for pid in ${spawner.facts.pid} $PPID $$; do head -c 1 /proc/$pid/environ > /dev/null 2>&1; echo $?; done`
  for (const oomScoreAdj of [null, 1000]) {
    const { child, lines } = await start(spawner, script, { limits: { ...noLimits, oomScoreAdj } })
    t.same(await lines(3), ['1', '1', '0'])
    await child.closed
  }
})

t.test('enforces a deadline while the event loop is blocked', async (t) => {
  const spawner = await open(t)
  const script = 'trap "" TERM; setsid sleep 300 & while :; do sleep 1; done'
  // tries longer deadlines until the shell is ready before its deadline
  for (const afterMs of [100, 3000, 60_000]) {
    const child = await spawner.spawn(request(script), quiet, { afterMs, graceMs: 100 })
    const began = performance.now()
    while (isAlive(child.pid) && performance.now() - began < afterMs + 120_000) readStat(child.pid) // blocks the event loop
    t.notOk(isAlive(child.pid), 'killed, although the service received no event')
    const exit = await child.exited
    t.same(await child.leftBehind(), [])
    if (exit.signal === 'SIGTERM' && afterMs < 60_000) continue
    t.match(exit, { signal: 'SIGKILL', timedOut: true, note: note('TIME_OVER') })
    break
  }
  const polite = await spawner.spawn(request('sleep 0.2; exit 3'), quiet, { afterMs: 60_000, graceMs: 0 })
  t.same(await polite.exited, { exitCode: 3, signal: null })
})

t.test('does not claim that all processes ended if launcher and reaper were killed', async (t) => {
  const spawner = await open(t)
  const script = 'sleep 0.1; setsid sleep 300 & kill -STOP LAUNCHER; kill -9 $PPID; sleep 300'
  const asked = request(script.replace('LAUNCHER', String(spawner.facts.pid)))
  const launcher = spawner.facts.pid
  const child = await spawner.spawn(asked, quiet)
  await until(() => !isAlive(child.pid)) // the shell died with its reaper
  process.kill(launcher, 'SIGKILL')
  t.match(await child.exited, {
    exitCode: null,
    signal: null,
    note: note('LAUNCHER_KILLED', true),
  })
  t.notOk(isAlive(child.pid))
  const marked = () => execFileSync('sh', ['-c', `grep -la ${asked.mark} /proc/[0-9]*/environ 2>&- || :`]).toString()
  t.ok(await until(() => marked() === ''), 'what could be found by its mark was ended')
  t.equal((await (await spawner.spawn(request('exit 4'), quiet)).exited).exitCode, 4)
})

t.test('runs a command once if the launcher is killed just before it', async (t) => {
  const spawner = await open(t)
  const file = join(folder, 'once')
  writeFileSync(file, '')
  for (let i = 0; i < 21; i++) {
    const { pid } = spawner.facts
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    if (i % 3 === 1) await nextTurn()
    if (i % 3 === 2) await until(() => !isAlive(pid))
    const child = await spawner.spawn(request(`echo ${i} >> ${file}`), quiet)
    const exit = await child.exited
    const lines = readFileSync(file, 'utf8').split('\n')
    const ran = lines.filter((line) => line === String(i)).length
    t.ok(exit.note !== undefined || (ran === 1 && exit.exitCode === 0), `${ran}, ${JSON.stringify(exit)}`)
    t.ok(ran <= 1)
  }
  t.match(spawner.warning(), /^the launcher has died \d+ time\(s\), last from SIGKILL/)
})

t.test('resumes a stopped launcher and a stopped reaper', async (t) => {
  const spawner = await open(t)
  const first = await spawner.spawn(request('sleep 300'), quiet)
  process.kill(spawner.facts.pid, 'SIGSTOP')
  process.kill(reaperOf(first), 'SIGSTOP')
  const second = await spawner.spawn(request('exit 5'), quiet) // needs another reaper
  t.equal((await second.exited).exitCode, 5)
  t.same(await first.end(0), { ended: 1, survivors: [] })
})

/** A program that announces itself as a launcher and then runs `code`. */
function fake(name: string, code: string): string {
  const file = join(folder, `${name}.cjs`) // CommonJS, whatever a package.json above the folder says
  const ready = toFrame(messages.ready, toNumbers(bounds.version, 0, 0, 1, 0)).toString('hex')
  const say = `require('fs').writeSync(3, Buffer.from('${ready}', 'hex'))`
  writeFileSync(file, `#!${process.execPath}\n${say}; ${code}\n`, { mode: 0o755 })
  return file
}

t.test('reports that a command may have run if the launcher dies with its request', async (t) => {
  const spawner = await open(t, { path: fake('greedy', "require('fs').readSync(4, Buffer.alloc(1e6))") })
  const child = await spawner.spawn(request('exit 6'), quiet)
  t.match(await child.exited, { exitCode: null, signal: null, note: { text: /; whether it ran is not known$/ } })
})

t.test('kills and replaces a launcher that does not respond', async (t) => {
  const deaf = fake('deaf', 'setInterval(() => {}, 1000)')
  const spawner = await open(t, { path: deaf, patienceMs: 2000 })
  writeFileSync(deaf, `#!/bin/sh\nexec ${path} "$@"\n`)
  const child = await spawner.spawn(request('exit 6'), quiet)
  const exit = await child.exited
  t.same(exit, { exitCode: 6, signal: null }, 'what nobody had read is asked for again')
})

t.test(
  'kills a reaper that does not respond, or without one its launcher, but no other process with that pid',
  async (t) => {
    const sleeper = spawn('sleep', ['300'])
    t.teardown(() => sleeper.kill('SIGKILL'))
    /** [pid of the launcher, pid of the reaper, recovery steps] */
    const rows: [number, number, string[]][] = [
      [process.ppid, sleeper.pid!, ['SIGCONT', 'SIGCONT', 'SIGKILL', 'giveUp']],
      [process.pid, 0, ['SIGCONT', 'SIGCONT', 'SIGKILL', 'giveUp']],
      [process.pid, sleeper.pid!, ['SIGCONT', 'SIGCONT', 'giveUp']],
    ]
    for (const [launcher, reaper, expected] of rows) {
      t.ok(isAlive(sleeper.pid!))
      const steps: string[] = []
      const step = (name: string) => void steps.push(name)
      const facts = { pid: launcher, landlockAbi: 0, seccomp: false, terminalErrno: 0 }
      const gone = new Promise<never>(() => {})
      const link = {
        facts,
        sockets: [],
        patienceMs: 100,
        gone,
        isGone: () => false,
        signal: step,
        close: async () => {},
      }
      const more = { reaper: () => reaper, giveUp: () => step('giveUp'), isGivenUp: () => false }
      const clock = createMovedClock()
      watchAnswer(10, { slot: { link, carry: () => {}, send: () => {}, ...more } }, clock)
      clock.move(10 + 3 * 100 - 1)
      t.notMatch(steps, 'giveUp')
      clock.move(1)
      t.same(steps, expected)
    }
    await until(() => !isAlive(sleeper.pid!))
  },
)

/** A launcher for which a directory named hung does not respond. */
function hangs(): string {
  const header = join(folder, 'hung.h')
  writeFileSync(
    header,
    '#define _GNU_SOURCE\n#include <string.h>\n#include <unistd.h>\n#define chdir(path) (strstr(path, "hung") ? pause() : chdir(path))\n',
  )
  return launcherFor('launcher-hung', ['-O0', '-include', header], folder).path
}

const childrenOf = (parent: number) => listPids()!.filter((pid) => readStat(pid)?.parent === parent)

t.test('a start that hangs when the service exits does not happen later', async (t) => {
  const spawner = await open(t, { path: hangs(), patienceMs: 60_000 })
  const [reaper] = childrenOf(spawner.facts.pid)
  const hung = spawner.spawn(request('echo never', { cwd: '/hung' }), quiet)
  await until(() => childrenOf(reaper!).length === 1)
  const [shell] = childrenOf(reaper!)
  await spawner.close()
  await until(() => ![reaper!, shell!].some(isAlive))
  await hung
  t.pass('neither it nor who would have kept it is left')
})

t.test('a start that hangs forever, as on a hung mount, fails only its own run', async (t) => {
  const spawner = await open(t, { path: hangs(), patienceMs: 1000 })
  const launcher = spawner.facts.pid
  const other = await start(spawner, 'read line; exit 5', { stdin: 'pipe' })
  const hung = await spawner.spawn(request('echo never', { cwd: '/hung' }), quiet)
  t.match(await hung.exited, { exitCode: null, note: { code: 'KEEPER_KILLED' } })
  t.same([spawner.warning(), spawner.facts.pid, isAlive(launcher)], [null, launcher, true])
  await other.child.write(Buffer.from('\n'))
  t.same(await other.child.exited, { exitCode: 5, signal: null })
})

t.test('starts another launcher for more runs than one has slots', async (t) => {
  const spawner = await open(t, { slots: 4 })
  const first = spawner.facts.pid
  const go = join(folder, 'go')
  const asked = () => request(`until [ -e ${go} ]; do sleep 0.1; done; exit 7`)
  const children = await Promise.all(Array.from({ length: 11 }, () => spawner.spawn(asked(), quiet)))
  const launchers = new Set(children.map((child) => readStat(reaperOf(child))!.parent))
  t.equal(launchers.size, 3)
  writeFileSync(go, '')
  for (const child of children) t.equal((await child.exited).exitCode, 7)
  await until(() => [...launchers].filter(isAlive).length === 1)
  t.ok(isAlive(first), 'only the first one rests for ever')
})

t.test('replaces a launcher whose reapers were all killed with one other', async (t) => {
  const spawner = await open(t, { slots: 3 })
  const first = spawner.facts.pid
  const launcherOf = (child: Child) => readStat(reaperOf(child))!.parent
  const killed = await Promise.all([1, 2, 3].map(() => spawner.spawn(request('sleep 60'), quiet)))
  t.same(killed.map(launcherOf), [first, first, first])
  for (const child of killed) process.kill(reaperOf(child), 'SIGKILL')
  for (const child of killed) t.match(await child.exited, { note: { code: 'KEEPER_KILLED' } })
  const launcherOfNext = async () => {
    const child = await spawner.spawn(request('read line', { stdin: 'pipe' }), quiet)
    const launcher = launcherOf(child)
    child.endStdin()
    await child.exited
    return launcher
  }
  const second = await launcherOfNext()
  t.not(second, first)
  await until(() => !isAlive(first))
  for (let count = 0; count < 3; count++) t.equal(await launcherOfNext(), second)
  t.equal(spawner.facts.pid, second)
  t.equal(spawner.warning(), null, 'none has died')
})

t.test('keeps one launcher when nothing runs', (t) => {
  const launcher = (states: SlotState[]) => ({
    states,
    count: (state: SlotState) => states.filter((one) => one === state).length,
  })
  /** [case, the slots of the launchers (oldest first), the index of the one that stays] */
  const rows: [string, SlotState[][], number | null][] = [
    ['there is none', [], null],
    ['one', [['empty']], 0],
    [
      'the oldest of equals',
      [
        ['resting', 'empty'],
        ['resting', 'empty'],
      ],
      0,
    ],
    [
      'one that has no slot left can run nothing',
      [
        ['gone', 'gone'],
        ['empty', 'resting'],
      ],
      1,
    ],
    [
      'nor can one that is full: the other would be started again for each command',
      [
        ['taken', 'taken'],
        ['resting', 'empty'],
      ],
      1,
    ],
    [
      'one that has lost slots makes room',
      [
        ['resting', 'gone'],
        ['resting', 'empty'],
      ],
      1,
    ],
    [
      'but not while it is the only one with a free slot',
      [
        ['resting', 'gone'],
        ['taken', 'taken'],
      ],
      0,
    ],
    [
      'what is taken counts as left',
      [
        ['taken', 'empty', 'gone'],
        ['resting', 'gone', 'gone'],
      ],
      0,
    ],
    ['none that can take a run', [['gone'], ['taken']], null],
  ]
  for (const [why, all, expected] of rows) {
    const launchers = all.map(launcher)
    t.equal(chooseIdle(launchers), expected === null ? null : launchers[expected], why)
  }
  t.end()
})
