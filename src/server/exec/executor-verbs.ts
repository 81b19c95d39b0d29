import type { Pool } from '../pool/index.ts'
import type { DialectAnswer, ExecRecord, Note, RunSummary, Who } from '../../shared/schema/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { Approvals, ListQuery, RunEvents, RunOutput } from '../store/index.ts'
import type { CheckedCommand, CheckRequest } from './check-policy.ts'
import type { AnyRequest, Caller } from './command.ts'
import type { DialectRun } from './execute-dialect.ts'
import type { SeveralRuns } from './several-runs.ts'
import type { CancelOutcome, Run, Watched } from './run.ts'
import type { Transfers } from './transfer-verbs.ts'

/** Counts of the runs that have ended since the start, for metrics, without those that ended with an error. */
export interface Tally {
  /** number of runs by ending */
  endings: Map<string, number>
  /** number of runs whose processes were killed, by reason: timed_out, canceled */
  kills: Map<string, number>
  /** denied runs, by the deciding rule */
  denials: Map<string, number>
  /** approval requests by outcome: approved, denied, timeout … */
  approvals: Map<string, number>
  outputBytes: number
  /** processes that could not be killed */
  survivors: number
  /** number of runs in each bucket (not cumulative); the last bucket counts all longer runs */
  durations: number[]
  durationSeconds: number
}

/** The executor's own counts. */
export interface Counts {
  isStopping: boolean
  tally: Tally
  /** request bytes of the runs that have not ended */
  liveBytes: number
}

interface ExecutorStats extends Counts {
  pool: ReturnType<Pool['stats']>
  background: ReturnType<Pool['stats']>
  terminals: ReturnType<Pool['stats']>
  /** bytes of output on disk */
  spoolBytes: number
}

/** The interface through which the routes and MCP start and find runs. */
export interface Executor extends Transfers {
  /**
   * Begins a run. Each turn of the event loop begins only one, so that a burst of commands does not block everything else. Resolves with
   * the run, or with the earlier run of the same key. Throws ShellphoneError if the request does not become a run. `body`: the body to
   * which the key is bound, if `request` also contains values from elsewhere, such as a header.
   */
  execute(request: AnyRequest, caller: Caller, body?: unknown): Promise<Watched>
  /** The same for a tool's own arguments, with a reply in the tool's format. Throws NOT_FOUND for an unknown dialect. */
  executeDialect(name: string, given: unknown, caller: Caller): Promise<DialectRun>
  /** Returns the call with several commands that began with this run, if it is still known. */
  callOf(id: string): SeveralRuns | undefined
  /** The reply to the tool call that began a run, once it has ended; `given` undefined: the arguments of that call are no longer known. */
  dialectReply(run: Watched, given: unknown): Promise<DialectAnswer>
  /** Returns the decision for a command of this caller, with reasons. Throws FORBIDDEN unless a person passes hypothetical settings. */
  check(request: CheckRequest, who: Who): Promise<CheckedCommand>
  /** lists and answers the pending approvals */
  approvals: Approvals
  /** the events of all runs: approval requests, their ends, and the ends of runs */
  events: RunEvents
  /** the sessions of all tokens */
  sessions: Sessions
  /** Returns a run that has not ended; throws NOT_FOUND, or CONFLICT if it has ended. */
  running(id: string): Promise<Run>
  /** Returns a run to watch or read, whether running or ended; throws NOT_FOUND. */
  find(id: string): Promise<Watched>
  /** Returns the current record of a run. */
  recordOf(id: string): Promise<ExecRecord>
  list(query: ListQuery): Promise<RunSummary[]>
  /** Calls back with every run that has not ended, and with each new run. Returns a function that unsubscribes. */
  watch(listener: (run: Run) => void): () => void
  /** Returns the whole output of a run; throws NOT_FOUND, EXPIRED. */
  output(id: string): Promise<RunOutput>
  /** Returns the id of the newest run whose output this token (default: the owner) saved under this name; throws NOT_FOUND. */
  scratchpad(name: string, who?: Who): Promise<string>
  cancel(id: string, why: Note): Promise<CancelOutcome>
  /** Handles a caller with this key that does not come back. Throws NOT_FOUND, or CONFLICT if the run is in the background. */
  leave(key: string, who: Who): Promise<CancelOutcome>
  stats(): ExecutorStats
  /** returns warnings about data that the store cannot store or has lost */
  warnings(): string[]
  /** Refuses new requests and stops running commands within the grace period. */
  close(graceMs: number): Promise<void>
}
