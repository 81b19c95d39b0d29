import { type Clock, createPromise, Deadline } from '../../shared/async/index.ts'
import {
  type Child,
  note,
  ShellphoneError,
  type ShellExit,
  type Spawner,
  type TreeEnd,
} from '../../shared/schema/index.ts'
import type { Job, Outcome, PoolLimits, Sink } from './job.ts'
import { noteBestEffort, noteExit, noteLeftBehind, noteSurvivors } from './notes.ts'
import { createOutput, drain, type OutputCollector } from './collected-output.ts'

/** What every run of a pool goes by. */
export interface RunRules extends PoolLimits {
  spawner: Spawner
  /** aborts when the pool closes; its reason is the grace in ms */
  closing: AbortSignal
  /** by which all its deadlines go */
  clock: Clock
}

interface Ran {
  child: Child
  output: OutputCollector
  stop: Stop
  /** of the run's time */
  deadline: Deadline
}

type Finish = Pick<Outcome, 'ending' | 'exitCode' | 'signal' | 'leftBehind' | 'notes'>

const nothingLeft: TreeEnd = { ended: 0, survivors: [] }
const STDIN_PIECE_BYTES = 64 * 1024
/** a deadline that we have not kept by then, because nothing runs here, is kept by the spawner */
const FROZEN_MS = 300

/** Takes one job from the start of its shell to the end of its tree. Throws NOT_STARTED where the system refuses. */
export async function run(job: Job, sink: Sink, queuedMs: number, rules: RunRules): Promise<Outcome> {
  const startedAt = Date.now()
  const began = rules.clock.now()
  sink.onStatus('starting')
  const output = createOutput(job, sink, rules.clock)
  const killGraceMs = job.killGraceMs ?? rules.killGraceMs
  const frozen = { afterMs: job.timeoutMs + FROZEN_MS, graceMs: killGraceMs }
  const child = await rules.spawner.spawn(job.spawn, output, frozen).catch(refuse)
  output.child = child
  if (output.taken) child.pause()
  const deadline = new Deadline(job.timeoutMs, rules.clock)
  const stop = createStop({ deadline, killGraceMs, signal: job.signal, closing: rules.closing })
  let ended: Finish | null = null
  try {
    sink.onStatus('running', child)
    if (job.spawn.stdin === 'pipe') void feed(job, child)
    const ran = { child, output, stop, deadline }
    const first = await Promise.race([child.exited, stop.told])
    ended = 'ending' in first ? await finishStopped(ran, first, rules) : await finishExited(ran, first, rules)
    const durationMs = rules.clock.now() - began
    const [stdout, stderr] = [output.stdout.collected(), output.stderr.collected()]
    return { ...ended, stdout, stderr, queuedMs, durationMs, startedAt, endedAt: Date.now() }
  } finally {
    stop.clear()
    child.detach()
    if (ended === null) await child.end(0) // a bug, or a sink that throws: nothing may run on
  }
}

function refuse(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error)
  throw new ShellphoneError('NOT_STARTED', `Failed to start process: ${message}`, { about: message })
}

/** Feeds stdin beside the run, piece by piece; ends early where nobody reads any more. Never rejects. */
async function feed({ stdinData, stdinOpen }: Job, child: Child): Promise<void> {
  const bytes = stdinData ?? Buffer.alloc(0)
  for (let at = 0; at < bytes.length; at += STDIN_PIECE_BYTES) {
    if (!(await child.write(bytes.subarray(at, at + STDIN_PIECE_BYTES)))) return
  }
  if (!stdinOpen) child.endStdin()
}

/** We have ended it. A shell that would not die has no exit to wait for. */
async function finishStopped(ran: Ran, { ending, graceMs }: StopOrder, rules: RunRules): Promise<Finish> {
  const end = await ran.child.end(graceMs)
  const lives = end.survivors.includes(ran.child.pid)
  const { exitCode, signal } = lives ? { exitCode: null, signal: null } : await ran.child.exited
  await lastWords(ran, rules)
  const notes = [...noteSurvivors(end.survivors), ...noteBestEffort(rules.spawner)]
  return { ending, exitCode, signal, leftBehind: end, notes }
}

/** It has ended by itself: reads what is still in the pipes and leaves nothing behind. */
async function finishExited(ran: Ran, exit: ShellExit, rules: RunRules): Promise<Finish> {
  const closed = await drain(ran.child, ran.output, rules, ran.deadline, ran.stop.told)
  const left = await leaveNothing(ran, closed, rules)
  const ending = exit.timedOut ? 'timed_out' : exit.exitCode === 0 ? 'completed' : 'failed'
  const { exitCode, signal } = exit
  const notes = ending === 'completed' ? left.notes : [...noteExit(exit, rules.platform), ...left.notes]
  return { ending, exitCode, signal, leftBehind: left.end, notes }
}

/** Ends (or keeps, as the setting says) what runs on in the background, and reads its last words. */
async function leaveNothing(ran: Ran, closed: boolean, rules: RunRules) {
  const { child } = ran
  const left = await child.leftBehind()
  if (left.length === 0) return { end: nothingLeft, notes: closed ? [] : [note('OUTPUT_STILL_OPEN')] }
  if (rules.backgroundProcesses === 'keep') {
    return { end: nothingLeft, notes: [note('BACKGROUND_KEPT', left.length)] }
  }
  const end = await child.end(rules.leftBehindGraceMs)
  if (!closed) await lastWords(ran, rules)
  return { end, notes: [...noteLeftBehind(end), ...noteBestEffort(rules.spawner)] }
}

/** Reads what those have said that we have ended. */
function lastWords({ child, output }: Ran, rules: RunRules): Promise<boolean> {
  return drain(child, output, rules, new Deadline(rules.drainMs, rules.clock), child.closed)
}

/** Why a run is ended by us, and the milliseconds that it has between SIGTERM and SIGKILL. */
interface StopOrder {
  ending: 'timed_out' | 'canceled'
  graceMs: number
}

interface Stop {
  /** resolves at the run's deadline or when it is cancelled, whichever comes first */
  readonly told: Promise<StopOrder>
  /** the run is over */
  clear(): void
}

interface StopRules {
  deadline: Deadline
  killGraceMs: number
  signal: AbortSignal
  /** the pool's own way to cancel; its reason is the grace in ms */
  closing: AbortSignal
}

function createStop({ deadline, killGraceMs, signal, closing }: StopRules): Stop {
  const { promise: told, resolve: tell } = createPromise<StopOrder>()
  const timeOut = () => tell({ ending: 'timed_out', graceMs: killGraceMs })
  // timers fire before pipes are read: an exit that came while this thread was busy is read first, and wins
  const timer = deadline.startTimer(() => void setImmediate(timeOut))
  const cancel = () => tell({ ending: 'canceled', graceMs: killGraceMs })
  const close = () => tell({ ending: 'canceled', graceMs: Number(closing.reason) })
  signal.addEventListener('abort', cancel)
  closing.addEventListener('abort', close)
  if (closing.aborted) close()
  if (signal.aborted) cancel()
  return {
    told,
    clear() {
      timer.stop()
      signal.removeEventListener('abort', cancel)
      closing.removeEventListener('abort', close)
    },
  }
}
