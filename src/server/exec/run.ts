import type { Sink } from '../pool/index.ts'
import { ChangeNotifier, createPromise } from '../../shared/async/index.ts'
import {
  type Approval,
  type Child,
  type ExecRecord,
  isEnding,
  note,
  type Note,
  type PendingApproval,
  type RunStatus,
  ShellphoneError,
  type CollectedOutput,
  steps,
  toIso,
  type Who,
  type WindowSize,
} from '../../shared/schema/index.ts'
import type { RunKey, RunOutput, Spool } from '../store/index.ts'
import type { Command } from './command.ts'
import { Lease } from './lease.ts'
import { OpenStdin } from './open-stdin.ts'

export type CancelOutcome = 'cancel_requested' | 'already_finished'

/** A run's record, and the output from which dialects format their replies; null: no longer stored. */
export interface FinishedRun {
  record: ExecRecord
  shown: CollectedOutput | null
}

/** A run as its watchers see it, while it runs and afterwards. */
export interface Watched {
  readonly id: string
  /** the encoding of the data in `output` events */
  readonly encoding: 'utf8' | 'base64'
  /** every status so far, oldest first */
  readonly statuses: readonly RunStatus[]
  readonly status: RunStatus
  /** the pending approval, if any */
  readonly waitsFor: PendingApproval | null
  /** resolves at the next change */
  changed(): Promise<void>
  readonly output: RunOutput
  /** null: the run takes no stdin */
  readonly stdin: OpenStdin | null
  /** rejects only if the request never became a process (POOL_FULL, NOT_STARTED, EXECUTION_ERROR) */
  readonly ended: Promise<FinishedRun>
  /** the record without the output for dialect replies */
  readonly finished: Promise<ExecRecord>
  /** Counts one watcher until `gone` aborts. */
  attend(gone: AbortSignal): void
}

/** The handle of one command: holds its status and its watchers, feeds and cancels it. */
export class Run extends ChangeNotifier implements Watched, Sink {
  /** every status so far, oldest first; empty until history contains the run */
  readonly statuses: RunStatus[] = []
  waitsFor: PendingApproval | null = null
  readonly stdin: OpenStdin | null
  readonly #work = createPromise<FinishedRun>()
  readonly ended = this.#work.promise
  readonly finished = this.ended.then(({ record }) => record)
  readonly #abort = new AbortController()
  /** aborts when somebody cancels the run; its reason is a note */
  readonly canceled = this.#abort.signal
  readonly #lease: Lease | null
  /** the running shell; null before it starts and after it exits */
  #child: Child | null = null
  #waiting = 0
  /** when it started to run, by the monotonic clock; null: it has not */
  #startedMs: number | null = null

  constructor(
    readonly id: string,
    readonly key: RunKey | undefined,
    /** the caller that started it */
    readonly who: Who,
    /** a command that waits for its session has the default directory, and no variables of the session */
    public command: Command,
    /** stores the output up to its limits; the pipes wait while it falls behind */
    readonly output: Spool,
    /** the record that history shows until the run ends */
    private record: ExecRecord,
    /** settles when history contains the begin line; nobody is notified of the run earlier */
    readonly begun: Promise<void>,
  ) {
    super()
    this.stdin = command.stdin === 'open' ? new OpenStdin(id, () => this.started()) : null
    this.#lease = command.leaseMs === null ? null : this.#leaseOf(command.leaseMs)
  }

  #leaseOf(ms: number): Lease {
    return new Lease(ms, () => this.cancel(note('CLIENT_NOT_SEEN', ms / 1000)))
  }

  get encoding(): 'utf8' | 'base64' {
    return this.command.encoding
  }

  get status(): RunStatus {
    return this.statuses.at(-1) ?? 'queued'
  }

  /** Takes the promise of the run's execution; `ended` settles with it. */
  start(work: Promise<FinishedRun>): void {
    this.#work.resolve(work)
  }

  /** Moves to the next status; throws if the table of steps does not allow it (a bug of the service). */
  to(next: RunStatus): void {
    const last = this.statuses.at(-1)
    const isAllowed = last === undefined ? next === 'queued' : steps[last].includes(next)
    if (!isAllowed) throw new Error(`a run cannot go from ${last} to ${next}`)
    this.statuses.push(next)
    this.record.status = next
    if (isEnding(next)) {
      this.stdin?.close()
      this.#lease?.close()
    }
    this.wake()
  }

  /** Called by the pool; `child` is set from `running` on. */
  onStatus(status: 'starting' | 'running', child: Child | null = null): void {
    this.#child = child
    if (status === 'running') {
      this.record.started_at = toIso(Date.now())
      this.#startedMs = performance.now()
    }
    this.to(status)
  }

  /** the pid of the shell; null: not started yet, or exited */
  shellPid(): number | null {
    return this.#child?.pid ?? null
  }

  /** Makes the run refuse further input and signals, because its shell has exited. */
  shellEnded(): void {
    this.#child = null
  }

  /** Replaces the command, and what the record says about it, when the run has its turn in its session. */
  replaceCommand(command: Command, parts: Partial<ExecRecord>): void {
    this.command = command
    Object.assign(this.record, parts)
    this.wake()
  }

  /** Notes the size of the terminal, at which its newest output was written. */
  resized(size: WindowSize): void {
    this.record.tty = size
  }

  /** Adds the decision to the record. */
  decided(decision: ExecRecord['decision']): void {
    this.record.decision = decision
  }

  /** Sets the pending approval and notifies the watchers. */
  wait(approval: PendingApproval): void {
    this.waitsFor = approval
    this.record.pending_approval = { id: approval.id, expires_at: approval.expires_at }
    this.wake()
  }

  /** Replaces the pending approval by its answer and notifies the watchers. */
  answered(approval: Approval): void {
    this.waitsFor = null
    delete this.record.pending_approval
    this.record.approval = approval
    this.wake()
  }

  /** Ends the run with this record. */
  end(record: ExecRecord): void {
    this.record = record
    this.to(record.status)
  }

  /** Resolves with the shell once it has started; throws CONFLICT if the run has ended. */
  async started(): Promise<Child> {
    while (this.status === 'queued' || this.status === 'starting') await this.changed()
    if (this.#child) return this.#child
    const why = isEnding(this.status) ? `has ended (${this.status})` : 'has no shell'
    throw new ShellphoneError('CONFLICT', `Run ${this.id} ${why}`)
  }

  /** Returns the size of the output and the running time so far. */
  progress(): Pick<ExecRecord, 'stdout_bytes' | 'stderr_bytes' | 'duration_ms'> {
    const [stdout_bytes, stderr_bytes] = [this.output.size('stdout'), this.output.size('stderr')]
    const duration_ms = this.#startedMs === null ? 0 : Math.round(performance.now() - this.#startedMs)
    return { stdout_bytes, stderr_bytes, duration_ms }
  }

  /** Returns the record so far. */
  recordNow(): ExecRecord {
    return { ...this.record, ...this.progress() }
  }

  attend(gone: AbortSignal): void {
    this.#lease?.hold(gone)
  }

  /** Kills the whole process tree: SIGTERM, grace, SIGKILL. Idempotent. */
  cancel(why: Note): CancelOutcome {
    if (isEnding(this.status)) return 'already_finished'
    this.#abort.abort(why)
    return 'cancel_requested'
  }

  /**
   * Adds a caller that waits for the end. If the last caller disconnects early, the run is canceled, unless it is in the background or has
   * a key, with which the caller can reconnect. Never rejects.
   */
  async join(gone: AbortSignal): Promise<void> {
    this.#lease?.hold(gone)
    this.#waiting++
    const leave = () => {
      const isAwaited = --this.#waiting > 0 || this.command.background || this.key !== undefined
      if (!isAwaited) this.cancel(note('CLIENT_WENT_AWAY'))
    }
    if (gone.aborted) return leave()
    gone.addEventListener('abort', leave)
    await this.finished.catch(() => {})
    gone.removeEventListener('abort', leave)
  }
}
