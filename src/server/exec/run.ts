import type { Sink } from '../pool/index.ts'
import { Changing, createPromise } from '../../shared/async/index.ts'
import {
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
} from '../../shared/schema/index.ts'
import type { RunKey, RunOutput, Spool } from '../store/index.ts'
import type { Command } from './command.ts'
import { Lease } from './lease.ts'
import { OpenStdin } from './open-stdin.ts'

export type CancelOutcome = 'cancel_requested' | 'already_finished'

/** What a run came to: its record, and what the replies in a dialect's words are made of; null: that is no longer kept. */
export interface FinishedRun {
  record: ExecRecord
  shown: CollectedOutput | null
}

/** A run for whoever watches it, while it runs and after. */
export interface Watched {
  readonly id: string
  /** how `output` events carry their data */
  readonly encoding: 'utf8' | 'base64'
  /** every status so far, oldest first */
  readonly taken: readonly RunStatus[]
  readonly status: RunStatus
  /** the question that waits for a person's answer, while it does */
  readonly waitsFor: PendingApproval | null
  /** resolves at the next */
  changed(): Promise<void>
  readonly output: RunOutput
  /** null: it takes none */
  readonly stdin: OpenStdin | null
  /** rejects only where the request never became a process (POOL_FULL, NOT_STARTED, EXECUTION_ERROR) */
  readonly ended: Promise<FinishedRun>
  /** its record alone */
  readonly finished: Promise<ExecRecord>
  /** Somebody watches it until `gone` aborts. */
  attend(gone: AbortSignal): void
}

/** The handle of one command on its way: its status and what changes it, who waits for it, and how it is fed and cancelled. */
export class Run extends Changing implements Watched, Sink {
  /** every status so far, oldest first; none until history has it, where it must be there first */
  readonly taken: RunStatus[] = []
  waitsFor: PendingApproval | null = null
  readonly stdin: OpenStdin | null
  readonly #work = createPromise<FinishedRun>()
  readonly ended = this.#work.promise
  readonly finished = this.ended.then(({ record }) => record)
  readonly #abort = new AbortController()
  /** aborts when the run is to be cancelled; its reason is a note */
  readonly canceled = this.#abort.signal
  readonly #lease: Lease | null
  /** the started shell, while it lives */
  #child: Child | null = null
  #waiting = 0

  constructor(
    readonly id: string,
    readonly key: RunKey | undefined,
    /** whose it is */
    readonly who: Who,
    readonly command: Command,
    /** every byte of its output; where it is behind, the pipes wait */
    readonly output: Spool,
    /** as history shows it until the end */
    private record: ExecRecord,
    /** settled when history holds its begin line, before anybody is told of it */
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
    return this.taken.at(-1) ?? 'queued'
  }

  /** What carries it to its end has begun: as that settles, `ended` does. */
  start(work: Promise<FinishedRun>): void {
    this.#work.resolve(work)
  }

  /** Takes the next step; throws when the table of steps does not allow it (our own bug). */
  to(next: RunStatus): void {
    const last = this.taken.at(-1)
    const isAllowed = last === undefined ? next === 'queued' : steps[last].includes(next)
    if (!isAllowed) throw new Error(`a run cannot go from ${last} to ${next}`)
    this.taken.push(next)
    this.record.status = next
    if (isEnding(next)) {
      this.stdin?.close()
      this.#lease?.close()
    }
    this.wake()
  }

  /** The pool has come so far with it; `child` from `running` on. */
  onStatus(status: 'starting' | 'running', child: Child | null = null): void {
    this.#child = child
    if (status === 'running') this.record.started_at = toIso(Date.now())
    this.to(status)
  }

  /** null: it has not started, or has exited */
  shellPid(): number | null {
    return this.#child?.pid ?? null
  }

  /** Nothing can be typed or signalled any more. */
  shellEnded(): void {
    this.#child = null
  }

  /** Its record says from now on what was decided. */
  decided(decision: ExecRecord['decision']): void {
    this.record.decision = decision
  }

  /** It waits for a person now, or for none any more (null), and whoever watches it hears of that. */
  wait(asked: PendingApproval | null): void {
    this.waitsFor = asked
    this.wake()
  }

  /** It has ended, as this record says. */
  end(record: ExecRecord): void {
    this.record = record
    this.to(record.status)
  }

  /** Its shell, from the start on; throws CONFLICT where the run has ended. */
  async started(): Promise<Child> {
    while (this.status === 'queued' || this.status === 'starting') await this.changed()
    if (this.#child) return this.#child
    throw new ShellphoneError('CONFLICT', `Run ${this.id} has ended (${this.status})`)
  }

  /** Its record so far. */
  recordNow(): ExecRecord {
    return { ...this.record, stdout_bytes: this.output.size('stdout'), stderr_bytes: this.output.size('stderr') }
  }

  attend(gone: AbortSignal): void {
    this.#lease?.hold(gone)
  }

  /** Ends the whole tree: SIGTERM, grace, SIGKILL. Twice is harmless. */
  cancel(why: Note): CancelOutcome {
    if (isEnding(this.status)) return 'already_finished'
    this.#abort.abort(why)
    return 'cancel_requested'
  }

  /**
   * One more waits for the end. When the last of them has gone before it, the run is cancelled; not in the background, and not where a key
   * says that whoever has gone will ask again. Never rejects.
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
    await Promise.allSettled([this.finished])
    gone.removeEventListener('abort', leave)
  }
}
