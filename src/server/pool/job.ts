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
  /** whose share of the slots and of the queue it takes */
  sharer: Sharer
  /** counted from the shell's start */
  timeoutMs: number
  /** between SIGTERM and SIGKILL, where it is not as the pool has it */
  killGraceMs?: number | null
  /** kept of each stream: so much of its start … */
  headBytes: number
  /** … and so much of its end */
  tailBytes: number
  /** fed to stdin (`spawn.stdin` must be `pipe`), which is closed then unless `stdinOpen` */
  stdinData?: Buffer | null
  /** leave stdin open for whoever watches the run */
  stdinOpen?: boolean
  /** Asked once, when its turn has come; false: it ends as denied. Default: it may. */
  mayStart?: () => boolean
  /** aborted: the run is cancelled; while it waits in the queue it leaves at once */
  signal: AbortSignal
}

/** Who watches a run. None of it may throw. */
export interface Sink {
  /** `child` is there from `running` on */
  onStatus(status: 'starting' | 'running', child?: Child): void
  /** Takes each chunk as it was read. A returned promise stops the reading of this run's output until it settles (flow control). */
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
  /** from the shell's start to the end of its tree; 0 where it was not started */
  durationMs: number
  /** epoch milliseconds; null where it was not started */
  startedAt: number | null
  endedAt: number
  /** processes ended beside the shell, and those that would not die */
  leftBehind: TreeEnd
  /** whatever a reader would not expect */
  notes: Note[]
}

/** The outcome of a command that was not started: denied, or cancelled before. */
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

/** Everything that bounds a pool. Milliseconds. */
export interface PoolLimits {
  /** slots */
  maxRunning: number
  /** who waits for one; more are refused */
  maxQueued: number
  /** who has waited so long is refused; null: whoever is let in waits as long as it takes */
  maxQueueWaitMs: number | null
  /** between SIGTERM and SIGKILL at the deadline and at a cancel */
  killGraceMs: number
  /** what becomes of processes that a command leaves running */
  backgroundProcesses: 'end' | 'keep'
  /** how long output is read on after the shell has exited, where something holds the pipes open */
  drainMs: number
  /** between SIGTERM and SIGKILL for what was left behind */
  leftBehindGraceMs: number
  /** process.platform, for the notes */
  platform: string
}
