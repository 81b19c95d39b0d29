import type { Outcome, Sink } from '../pool/index.ts'
import {
  type Approval,
  type Artifact,
  CancelController,
  type CancelSignal,
  Changing,
  type Child,
  type Decision,
  type ExecRecord,
  isEnding,
  type PendingApproval,
  type RunStatus,
  ShellphoneError,
  steps,
  toIso,
  type Who,
} from '../schema/index.ts'
import type { RunKey, RunOutput, Spool } from '../store/index.ts'
import type { Lease } from './lease.ts'
import type { SeenScripts } from './lookups.ts'
import type { OpenStdin } from './open-stdin.ts'
import type { AnyRequest, Command } from './command.ts'
import type { Transfer } from './transfer.ts'

export type CancelOutcome = 'cancel_requested' | 'already_finished'

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
  readonly finished: Promise<ExecRecord>
  /** Somebody watches it until `gone` aborts. */
  attend(gone: CancelSignal): void
}

/**
 * One request on its way to its record: the one thing that every step of `execute` reads, and adds to. Nobody but the executor sees
 * it before the first step has been taken, so that there always is a command, an output and a record to look at.
 */
export class Run extends Changing implements Watched, Sink {
  readonly encoding: 'utf8' | 'base64'
  /** every status so far, oldest first; none until it is prepared */
  readonly taken: RunStatus[] = []
  /** the started shell, while it lives; for stdin and signals */
  child: Child | null = null
  /** settled when it is; rejects where the request is none that can become a run */
  prepared!: Promise<void>
  /** from prepare on: settled when history holds its begin line, before anybody is told of it */
  begun!: Promise<void>
  /** from prepare on: the request filled in */
  command!: Command
  /** from prepare on: every byte of its output; where it is behind, the pipes wait */
  output!: Spool
  /** from prepare on, where it was asked for */
  stdin: OpenStdin | null = null
  /** from prepare on, where it was asked for */
  lease: Lease | null = null
  /** from prepare on: as history shows it until the end */
  record!: ExecRecord
  /** from decide on */
  decision!: Decision
  /** from decide on: the script files that were read to judge it, each with its SHA-256 */
  readonly scripts: SeenScripts = new Map()
  /** the question that waits for a person's answer, while it does */
  waitsFor: PendingApproval | null = null
  /** from ask on: what a person said, where one was asked */
  approval: Approval | null = null
  /** from run on, of a transfer: the files that were moved */
  moved: Artifact[] | null = null
  /** from run on: how it ended */
  outcome!: Outcome
  /** Its record; rejects only where the request never became a process (POOL_FULL, EXECUTION_ERROR). */
  finished!: Promise<ExecRecord>
  readonly #abort = new CancelController()
  /** aborts when the run is to be cancelled; its reason goes into the notes */
  readonly canceled = this.#abort.signal
  #waiting = 0

  constructor(
    readonly id: string,
    readonly request: AnyRequest,
    readonly key: RunKey | undefined,
    /** whose it is */
    readonly who: Who,
    /** what is done in place of a process */
    readonly transfer: Transfer | null = null,
  ) {
    super()
    this.encoding = request.encoding ?? 'utf8'
  }

  get status(): RunStatus {
    return this.taken.at(-1) ?? 'queued'
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
      this.lease?.close()
    }
    this.wake()
  }

  /** The pool has come so far with it; `child` from `running` on. */
  onStatus(status: 'starting' | 'running', child: Child | null = null): void {
    this.child = child
    if (status === 'running') this.record.started_at = toIso(Date.now())
    this.to(status)
  }

  /** It waits for a person now, and whoever watches it hears of that. */
  wait(asked: PendingApproval): void {
    this.waitsFor = asked
    this.wake()
  }

  /** Its shell, from the start on; throws CONFLICT where the run has ended. */
  async started(): Promise<Child> {
    while (this.status === 'queued' || this.status === 'starting') await this.changed()
    if (this.child) return this.child
    throw new ShellphoneError('CONFLICT', `Run ${this.id} has ended (${this.status})`)
  }

  /** Its record so far. */
  recordNow(): ExecRecord {
    return { ...this.record, stdout_bytes: this.output.size('stdout'), stderr_bytes: this.output.size('stderr') }
  }

  attend(gone: CancelSignal): void {
    this.lease?.hold(gone)
  }

  /** Ends the whole tree: SIGTERM, grace, SIGKILL. Twice is harmless. */
  cancel(why: string): CancelOutcome {
    if (isEnding(this.status)) return 'already_finished'
    this.#abort.abort(why)
    return 'cancel_requested'
  }

  /**
   * One more waits for the end. When the last of them has gone before it, the run is cancelled; not in the background, and not where a key
   * says that whoever has gone will ask again.
   */
  async join(gone: CancelSignal): Promise<void> {
    this.lease?.hold(gone)
    this.#waiting++
    const leave = () => {
      const isAwaited = --this.#waiting > 0 || this.command.background || this.key !== undefined
      if (!isAwaited) this.cancel('the client went away')
    }
    if (gone.aborted) return leave()
    gone.addEventListener('abort', leave)
    await Promise.allSettled([this.finished])
    gone.removeEventListener('abort', leave)
  }
}
