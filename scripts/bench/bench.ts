import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '../../test/support/helper.ts'
import {
  bareHttp,
  bareSpawn,
  bySocket,
  type Contender,
  idleHttp,
  shellphone,
  webhook,
  withBody,
} from './bench-contenders.ts'
import { firstByte, flood, floodable } from './bench-flood.ts'
import { family, rssMib, wakeUps } from './bench-idle.ts'
import { measure, median, type Phase, printPhase, type Taken } from './bench-latency.ts'
import { buildPosixSpawn } from './posix-spawn.ts'

/**
 * Measures speed as ratios to a baseline in the same run: a bare child_process.spawn('sh', ['-c', 'true']), awaited to its end. The blocks of all
 * contenders are interleaved, because the load of the machine changes. The first measurements are those that a person notices (a lone command and
 * the first hundred commands), followed by warm commands, wake-ups, memory and large outputs.
 *
 *     npm run bench [-- lone=40] [cold=3] [warm=30] [sessions=30] [idle=60] [floods=1]         (rounds; idle in seconds; 0 skips a part)
 */
const given = Object.fromEntries(process.argv.slice(2).map((word) => word.split('=') as [string, string]))
const count = (name: string, usual: number) => Number(given[name] ?? usual)

/** The pause of an agent that thinks between two commands. */
const LONE: Phase = { rounds: count('lone', 40), perBlock: 1, atOnce: 1, gapMs: 750 }
const COLD: Phase = { rounds: 100, perBlock: 1, atOnce: 1 }
const COLD_EIGHT: Phase = { rounds: 1, perBlock: 100, atOnce: 8 }
/** The number of commands to run before measuring, because V8 still compiles the code. */
const WARMING: Phase = { rounds: 20, perBlock: 160, atOnce: 8 }
const WARM: Phase = { rounds: count('warm', 30), perBlock: 40, atOnce: 1 }
const WARM_EIGHT: Phase = { rounds: count('warm', 30), perBlock: 160, atOnce: 8 }
const COMMANDS_FOR_MEMORY = 20_000
/** after this time, the follow-up work of a start or of a load is done */
const SETTLE_MS = 20_000

const HEAD = '| what | at once | who | p50 | p50 ratio | p99 ratio | throughput ratio |\n|---|---|---|---|---|---|---|'

/** Starts all contenders. */
async function startAll(): Promise<Contender[]> {
  const own = await shellphone('shellphone, launcher')
  const all = [
    bareSpawn,
    own,
    bySocket(own),
    await shellphone('shellphone, child_process', { SHELLPHONE_SPAWNER: 'child_process' }),
    await bareHttp(),
    await idleHttp(),
    await webhook(),
  ]
  return all.filter((one) => one !== null)
}

const stopAll = (all: Contender[]) => Promise.all(all.map((one) => one.stop()))

/** Merges the times of several measurements of the same contenders. */
function joined(into: Taken[] | null, more: Taken[]): Taken[] {
  if (into === null) return more
  return into.map(({ name, times, wallMs }, i) => ({
    name,
    times: [...times, ...more[i]!.times],
    wallMs: wallMs + more[i]!.wallMs,
  }))
}

/** Measures the first hundred commands after a start, one at a time, and after another start with eight at once. */
async function cold(): Promise<void> {
  for (const phase of [COLD, COLD_EIGHT]) {
    let taken: Taken[] | null = null
    for (let start = 0; start < count('cold', 3); start++) {
      const all = await startAll()
      taken = joined(taken, (await measure(all, [phase]))[0]!)
      await stopAll(all)
    }
    if (taken) printPhase('cold', phase, taken)
  }
}

/** Measures one command every 750 ms on services that have run for a while, then commands one after another. */
async function loneAndWarm(): Promise<void> {
  const all = await startAll()
  const [, lone, warm, eight] = await measure(all, [WARMING, LONE, WARM, WARM_EIGHT])
  if (LONE.rounds > 0) printPhase('lone', LONE, lone!)
  if (WARM.rounds === 0) return void (await stopAll(all))
  printPhase('warm', WARM, warm!)
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-bench-'))
  const times = buildPosixSpawn(folder)(WARM.perBlock * 10)
  console.log(
    `| warm | 1 | a C loop around posix_spawn | ${median(times).toFixed(2)} ms | ×${(median(times) / median(warm![0]!.times)).toFixed(2)} | | |`,
  )
  rmSync(folder, { recursive: true })
  printPhase('warm', WARM_EIGHT, eight!)
  await stopAll(all)
}

/** Measures how often an idle service wakes up, and its resident memory at the start and after 20 000 commands. */
async function rest(seconds: number): Promise<void> {
  const own = await shellphone('shellphone')
  const bare = await startService({ main: 'scripts/bench/bare-fastify.mjs', env: { SHELLPHONE_TOKEN: 'none' } })
  const { service } = own
  const mib = () => `${rssMib(service.pid).toFixed(1)} MiB`
  await sleep(SETTLE_MS)
  const start = `${mib()} at the start (a bare Fastify ${rssMib(bare.pid).toFixed(1)} MiB)`
  await bare.stop()
  await printWakeUps('idle', service.pid, seconds)
  const socket = await service.socket()
  await printWakeUps('idle, a WebSocket connected', service.pid, seconds)
  await socket.close()
  await measure([own], [{ rounds: 1, perBlock: COMMANDS_FOR_MEMORY, atOnce: 8 }])
  const busy = `${mib()} after ${COMMANDS_FOR_MEMORY} commands`
  await sleep(SETTLE_MS)
  console.log(`resident: ${start}, ${busy}, ${mib()} after ${SETTLE_MS / 1000} s without commands`)
  await own.stop()
}

async function printWakeUps(when: string, pid: number, seconds: number): Promise<void> {
  const perSecond = (await wakeUps(pid, seconds)).toFixed(2)
  console.log(`${when}: ${perSecond} wake-ups per second of all ${family(pid).length} processes, over ${seconds} s`)
}

/** Measures the cost of history, of the guards and of a sandbox, with services that differ from the default in one setting. */
async function costs(): Promise<void> {
  const guards = {
    SHELLPHONE_POLICY: 'strict',
    SHELLPHONE_ALLOWED_COMMANDS: 'true,ls',
    SHELLPHONE_SINGLE_COMMAND: 'true',
    SHELLPHONE_MAX_ACTIONS_PER_HOUR: '1000000',
  }
  const all = [
    await shellphone('default settings'),
    await shellphone('history and spool off', { SHELLPHONE_HISTORY: 'false' }),
    await shellphone('every guard on', guards),
    await shellphone('every guard off', { SHELLPHONE_POLICY: 'open' }),
    await shellphone('a read-only sandbox', { SHELLPHONE_SANDBOX: 'read-only' }),
  ]
  const [, taken] = await measure(all, [WARMING, WARM])
  printPhase('cost', WARM, taken!)
  await stopAll(all)
}

/** Measures the cost of a session, of the EXIT trap that captures a state, and of storing a state that has changed. */
async function sessions(rounds: number): Promise<void> {
  const own = await shellphone('true')
  const changing = 'export N=$(($N+1))'
  const all = [
    bareSpawn,
    own,
    withBody(own, 'true, in a session', { command: 'true', session: 'a' }),
    withBody(own, 'cd /', { command: 'cd /' }),
    withBody(own, 'cd /, in a session', { command: 'cd /', session: 'b' }),
    withBody(own, `${changing}, in a session`, { command: changing, session: 'c' }),
  ]
  const [lone, warm] = [
    { ...LONE, rounds },
    { ...WARM, rounds },
  ]
  const [, loneTaken, warmTaken] = await measure(all, [WARMING, lone, warm])
  printPhase('session, lone', lone, loneTaken!)
  printPhase('session, warm', warm, warmTaken!)
  await stopAll(all)
}

async function floods(): Promise<void> {
  const server = await startService({ env: floodable })
  await firstByte(server)
  await flood(server)
  await server.stop()
}

console.log(`Node ${process.version}\n\n${HEAD}`)
if (LONE.rounds > 0 || WARM.rounds > 0) await loneAndWarm()
await cold()
if (WARM.rounds > 0) await costs()
if (count('sessions', 30) > 0) await sessions(count('sessions', 30))
console.log('')
if (count('idle', 60) > 0) await rest(count('idle', 60))
if (count('floods', 1) > 0) await floods()
