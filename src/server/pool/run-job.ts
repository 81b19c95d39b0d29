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

/** The limits and dependencies that all runs of a pool share. */
export interface RunRules extends PoolLimits {
  spawner: Spawner
  /** aborts when the pool closes; its reason is the grace in ms */
  closing: AbortSignal
  /** measures all time limits */
  clock: Clock
}

interface StartedJob {
  child: Child
  output: OutputCollector
  stop: StopRequest
  /** the time at which the run's time limit expires */
  deadline: Deadline
}

type JobEnd = Pick<Outcome, 'ending' | 'exitCode' | 'signal' | 'leftBehind' | 'notes' | 'state'>

const nothingLeft: TreeEnd = { ended: 0, survivors: [] }
const STDIN_PIECE_BYTES = 64 * 1024
/** If this process is frozen at the deadline, the spawner kills the run this much later. */
const FROZEN_MS = 300

/** Runs one job from the start of its shell to the end of its process tree. Throws NOT_STARTED if the system refuses to start it. */
export async function run(job: Job, sink: Sink, queuedMs: number, rules: RunRules): Promise<Outcome> {
  const startedAt = Date.now()
  const began = rules.clock.now()
  sink.onStatus('starting')
  const output = createOutput(job, sink, rules.clock)
  const killGraceMs = job.killGraceMs ?? rules.killGraceMs
  const timeoutGraceMs = job.killGraceMs ?? rules.timeoutGraceMs
  const killTimesIfFrozen = { afterMs: job.timeoutMs + FROZEN_MS, graceMs: timeoutGraceMs }
  const child = await rules.spawner.spawn(job.spawn, output, killTimesIfFrozen).catch(throwNotStarted)
  output.child = child
  if (output.taken) child.pause()
  const deadline = new Deadline(job.timeoutMs, rules.clock)
  const stop = createStop({ deadline, killGraceMs, timeoutGraceMs, signal: job.signal, closing: rules.closing })
  let ended: JobEnd | null = null
  try {
    sink.onStatus('running', child)
    if (job.spawn.stdin === 'pipe') void feed(job, child)
    const started = { child, output, stop, deadline }
    const first = await Promise.race([child.exited, stop.requested])
    ended = 'ending' in first ? await finishStopped(started, first, rules) : await finishExited(started, first, rules)
    const durationMs = rules.clock.now() - began
    const [stdout, stderr] = [output.stdout.collected(), output.stderr.collected()]
    return { ...ended, stdout, stderr, queuedMs, durationMs, startedAt, endedAt: Date.now() }
  } finally {
    stop.clear()
    child.detach()
    if (ended === null) await child.end(0) // after a bug, or if a sink throws: leave nothing running
  }
}

function throwNotStarted(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error)
  throw new ShellphoneError('NOT_STARTED', `Failed to start process: ${message}`, { about: message })
}

/** Writes stdin piece by piece while the job runs. Stops early if the command no longer reads. Never rejects. */
async function feed({ stdinData, stdinOpen }: Job, child: Child): Promise<void> {
  const bytes = stdinData ?? Buffer.alloc(0)
  for (let at = 0; at < bytes.length; at += STDIN_PIECE_BYTES) {
    if (!(await child.write(bytes.subarray(at, at + STDIN_PIECE_BYTES)))) return
  }
  if (!stdinOpen) child.endStdin()
}

/** Kills a run that must stop. Does not wait for the exit of a shell that survives SIGKILL. */
async function finishStopped(job: StartedJob, { ending, graceMs }: StopOrder, rules: RunRules): Promise<JobEnd> {
  const end = await job.child.end(graceMs)
  const survives = end.survivors.includes(job.child.pid)
  const { exitCode, signal } = survives ? { exitCode: null, signal: null } : await job.child.exited
  await drainRest(job, rules)
  const notes = [...noteSurvivors(end.survivors), ...noteBestEffort(rules.spawner)]
  return { ending, exitCode, signal, leftBehind: end, notes }
}

/** Finishes a run whose shell has exited: reads the rest of its pipes and kills its background processes. */
async function finishExited(job: StartedJob, exit: ShellExit, rules: RunRules): Promise<JobEnd> {
  const closed = await drain(job.child, job.output, rules, job.deadline, job.stop.requested)
  const left = await endBackground(job, closed, rules)
  const ending = exit.timedOut ? 'timed_out' : exit.exitCode === 0 ? 'completed' : 'failed'
  const { exitCode, signal, state } = exit
  const notes = ending === 'completed' ? left.notes : [...noteExit(exit, rules.platform), ...left.notes]
  return { ending, exitCode, signal, leftBehind: left.end, notes, ...(state && { state }) }
}

/** Kills background processes, unless the setting keeps them, and reads the rest of their output. */
async function endBackground(job: StartedJob, closed: boolean, rules: RunRules) {
  const { child } = job
  const left = await child.leftBehind()
  if (left.length === 0) return { end: nothingLeft, notes: closed ? [] : [note('OUTPUT_STILL_OPEN')] }
  if (rules.backgroundProcesses === 'keep') {
    return { end: nothingLeft, notes: [note('BACKGROUND_KEPT', left.length)] }
  }
  const end = await child.end(rules.leftBehindGraceMs)
  if (!closed) await drainRest(job, rules)
  return { end, notes: [...noteLeftBehind(end), ...noteBestEffort(rules.spawner)] }
}

/** Reads the rest of the output of processes that were killed. */
function drainRest({ child, output }: StartedJob, rules: RunRules): Promise<boolean> {
  return drain(child, output, rules, new Deadline(rules.drainMs, rules.clock), child.closed)
}

/** Why the service stops a run, and the milliseconds between SIGTERM and SIGKILL. */
interface StopOrder {
  ending: 'timed_out' | 'canceled'
  graceMs: number
}

interface StopRequest {
  /** resolves at the run's deadline or when the run is canceled, whichever comes first */
  readonly requested: Promise<StopOrder>
  /** removes the timer and the listeners */
  clear(): void
}

interface StopRules {
  deadline: Deadline
  killGraceMs: number
  timeoutGraceMs: number
  signal: AbortSignal
  /** aborts when the pool closes; its reason is the grace in ms */
  closing: AbortSignal
}

function createStop({ deadline, killGraceMs, timeoutGraceMs, signal, closing }: StopRules): StopRequest {
  const { promise: requested, resolve: request } = createPromise<StopOrder>()
  const timeOut = () => request({ ending: 'timed_out', graceMs: timeoutGraceMs })
  // timers fire before pipes are read; an exit that arrived while this thread was busy must be read first, so that it counts
  const timer = deadline.startTimer(() => void setImmediate(timeOut))
  const cancel = () => request({ ending: 'canceled', graceMs: killGraceMs })
  const close = () => request({ ending: 'canceled', graceMs: Number(closing.reason) })
  signal.addEventListener('abort', cancel)
  closing.addEventListener('abort', close)
  if (closing.aborted) close()
  if (signal.aborted) cancel()
  return {
    requested,
    clear() {
      timer.stop()
      signal.removeEventListener('abort', cancel)
      closing.removeEventListener('abort', close)
    },
  }
}
