import type {
  Child,
  Collected,
  Ending,
  Note,
  Sharer,
  SpawnRequest,
  Stream,
  TreeEnd,
} from '../../shared/schema/index.ts'

/** One command for the pool. Times in milliseconds. */
export interface Job {
  spawn: SpawnRequest
  /** the token whose share of the slots and of the queue this job uses */
  sharer: Sharer
  /** time limit, measured from the shell's start */
  timeoutMs: number
  /** time between SIGTERM and SIGKILL, at the deadline and at a cancel; null or absent: the pool's limits */
  killGraceMs?: number | null
  /** number of bytes from the start of each stream that the outcome contains */
  headBytes: number
  /** number of bytes from the end of each stream that the outcome contains */
  tailBytes: number
  /** written to stdin (`spawn.stdin` must be `pipe`), which is then closed unless `stdinOpen` */
  stdinData?: Buffer | null
  /** whether stdin stays open for later input */
  stdinOpen?: boolean
  /** Called once, before the command starts. If it returns false, the job ends as denied. Default: the command may start. */
  mayStart?: () => boolean
  /** aborts to cancel the run; a queued job leaves the queue at once */
  signal: AbortSignal
}

/** Receives the events of one run. No method may throw. */
export interface Sink {
  /** receives each new status; `child` is set for `running` */
  onStatus(status: 'starting' | 'running', child?: Child): void
  /** Receives each chunk as it is read. A returned promise pauses reading of this run's output until it settles (flow control). */
  readonly output: { append(stream: Stream, chunk: Buffer): void | Promise<void> }
}

/** How a command ended. */
export interface Outcome {
  ending: Ending
  exitCode: number | null
  signal: string | null
  stdout: Collected
  stderr: Collected
  queuedMs: number
  /** from the shell's start to the end of its process tree; 0 if the command did not start */
  durationMs: number
  /** milliseconds since 1970; null if the command did not start */
  startedAt: number | null
  endedAt: number
  /** the other processes of the tree: how many were killed, and which survived */
  leftBehind: TreeEnd
  /** the state of the shell, if it was captured (`stateFolder`) and the shell itself ended */
  state?: Buffer
  /** facts that a reader would not expect */
  notes: Note[]
}

/** Creates the outcome of a command that was denied, or canceled before it started. */
export function notStarted(ending: 'canceled' | 'denied', queuedMs = 0, notes: Note[] = []): Outcome {
  const nothing = { bytes: 0, lines: 0, head: Buffer.alloc(0), tail: Buffer.alloc(0) }
  return {
    ending,
    exitCode: null,
    signal: null,
    stdout: nothing,
    stderr: nothing,
    queuedMs,
    durationMs: 0,
    startedAt: null,
    endedAt: Date.now(),
    leftBehind: { ended: 0, survivors: [] },
    notes,
  }
}

/** All limits of a pool. Times in milliseconds. */
export interface PoolLimits {
  /** number of slots */
  maxRunning: number
  /** number of jobs that may wait for a slot; the pool refuses further jobs */
  maxQueued: number
  /** the pool refuses a job that has waited this long; null: jobs wait without a limit, and only `checkRoom` applies `maxQueued` */
  maxQueueWaitMs: number | null
  /** time between SIGTERM and SIGKILL at a cancel */
  killGraceMs: number
  /** the same at the deadline */
  timeoutGraceMs: number
  /** what to do with processes that a command leaves running */
  backgroundProcesses: 'end' | 'keep'
  /** how long output is read after the shell has exited, while another process holds the pipes open */
  drainMs: number
  /** time between SIGTERM and SIGKILL for processes that were left behind */
  leftBehindGraceMs: number
  /** process.platform, for the notes */
  platform: string
}
