import { type CancelSignal, type Child, ShellphoneError, type Spawner, type TreeEnd } from '../schema/index.ts'
import { drain } from './drain.ts'
import type { Job, Outcome, Sink } from './job.ts'
import { noteBestEffort, noteExit, noteKept, noteLeftBehind, noteSurvivors, outputStillOpen } from './notes.ts'
import { createOutput, type Output } from './output.ts'
import { createStop, type Stop } from './stop.ts'

/** What every run of a pool goes by. Milliseconds. */
export interface RunRules {
  killGraceMs: number
  backgroundProcesses: 'end' | 'keep'
  drainMs: number
  leftBehindGraceMs: number
  platform: string
  spawner: Spawner
  /** aborts when the pool closes; its reason is the grace in ms */
  closing: CancelSignal
}

interface Ran {
  job: Job
  child: Child
  output: Output
  stop: Stop
  /** performance.now() at which the run's time is over */
  deadline: number
}

type Finish = Pick<Outcome, 'ending' | 'exitCode' | 'signal' | 'leftBehind' | 'notes'>

const nothingLeft: TreeEnd = { ended: 0, survivors: [] }
const stdinPieceBytes = 64 * 1024
/** a deadline that we have not kept by then, because nothing runs here, is kept by the spawner */
const frozenMs = 300

/** Takes one job from the start of its shell to the end of its tree. Throws EXECUTION_ERROR where the system refuses to start it. */
export async function run(job: Job, sink: Sink, queuedMs: number, rules: RunRules): Promise<Outcome> {
  const startedAt = Date.now()
  const began = performance.now()
  sink.onStatus('starting')
  const output = createOutput(job, sink)
  const killGraceMs = job.killGraceMs ?? rules.killGraceMs
  const child = await start(job, output, killGraceMs, rules.spawner)
  output.attach(child)
  const stop = createStop(child, {
    timeoutMs: job.timeoutMs,
    killGraceMs,
    signal: job.signal,
    closing: rules.closing,
  })
  let ended: Finish | null = null
  try {
    sink.onStatus('running', child)
    feed(job, child)
    ended = await finish({ job, child, output, stop, deadline: performance.now() + job.timeoutMs }, rules)
    const durationMs = performance.now() - began
    const { stdout, stderr } = output.collectors
    return {
      ...ended,
      stdout: stdout.collected(),
      stderr: stderr.collected(),
      queuedMs,
      durationMs,
      startedAt,
      endedAt: Date.now(),
    }
  } finally {
    stop.clear()
    child.detach()
    if (ended === null) await child.end(0) // a bug, or a sink that throws: nothing may run on
  }
}

async function start({ spawn, timeoutMs }: Job, output: Output, graceMs: number, spawner: Spawner): Promise<Child> {
  try {
    return await spawner.spawn(spawn, output, { afterMs: timeoutMs + frozenMs, graceMs })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ShellphoneError('EXECUTION_ERROR', `Failed to start process: ${message}`)
  }
}

/** Feeds stdin beside the run, piece by piece; ends early where nobody reads any more. */
async function feed({ spawn, stdinData, stdinOpen }: Job, child: Child) {
  if (spawn.stdin !== 'pipe') return
  const bytes = stdinData ?? Buffer.alloc(0)
  for (let at = 0; at < bytes.length; at += stdinPieceBytes) {
    if (!(await child.write(bytes.subarray(at, at + stdinPieceBytes)))) return
  }
  if (!stdinOpen) child.endStdin()
}

/** Waits for the run's end, its own or ours, then reads what is still in the pipes and leaves nothing behind. */
async function finish(ran: Ran, rules: RunRules): Promise<Finish> {
  const exit = await Promise.race([ran.child.exited, ran.stop.done.then(() => null)])
  const reason = ran.stop.reason
  if (reason !== null) return finishStopped(ran, reason, await ran.stop.done, rules)
  ran.stop.disarm()
  return finishExited(ran, exit!, rules)
}

/** A shell that would not die has no exit to wait for. */
async function finishStopped(ran: Ran, ending: Finish['ending'], end: TreeEnd, rules: RunRules): Promise<Finish> {
  const lives = end.survivors.includes(ran.child.pid)
  const { exitCode, signal } = lives ? { exitCode: null, signal: null } : await ran.child.exited
  await drain(ran.child, ran.output, rules.drainMs, performance.now() + rules.drainMs, ran.child.closed)
  return {
    ending,
    exitCode,
    signal,
    leftBehind: end,
    notes: [...noteSurvivors(end.survivors), ...noteBestEffort(rules.spawner)],
  }
}

async function finishExited(ran: Ran, exit: Awaited<Child['exited']>, rules: RunRules): Promise<Finish> {
  const closed = await drain(ran.child, ran.output, rules.drainMs, ran.deadline, ran.stop.told)
  const left = await leaveNothing(ran, closed, rules)
  const ending = exit.timedOut ? 'timed_out' : exit.exitCode === 0 ? 'completed' : 'failed'
  const { exitCode, signal } = exit
  const notes = ending === 'completed' ? left.notes : [...noteExit(exit, rules.platform), ...left.notes]
  return { ending, exitCode, signal, leftBehind: left.end, notes }
}

/** Ends (or keeps, as the setting says) what runs on in the background, and reads its last words. */
async function leaveNothing({ child, output }: Ran, closed: boolean, rules: RunRules) {
  const left = await child.leftBehind()
  if (left.length === 0) return { end: nothingLeft, notes: closed ? [] : [outputStillOpen] }
  if (rules.backgroundProcesses === 'keep') return { end: nothingLeft, notes: [noteKept(left.length)] }
  const end = await child.end(rules.leftBehindGraceMs)
  if (!closed) await drain(child, output, rules.drainMs, performance.now() + rules.drainMs, child.closed)
  return { end, notes: [...noteLeftBehind(end), ...noteBestEffort(rules.spawner)] }
}
