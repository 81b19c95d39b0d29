import type { Pool } from '../pool/index.ts'
import type { Decision, ExecRecord, Note, RunSummary, Who } from '../../shared/schema/index.ts'
import type { Approvals, ListQuery, RunOutput } from '../store/index.ts'
import type { CheckRequest } from './check-policy.ts'
import type { AnyRequest, Caller } from './command.ts'
import type { DialectRun } from './execute-dialect.ts'
import type { CancelOutcome, Run, Watched } from './run.ts'
import type { Transfer } from './transfer.ts'

/** What has ended since the start, as metrics want it. */
export interface Tally {
  /** how many runs ended how */
  endings: Map<string, number>
  /** processes were ended for: timed_out, canceled */
  kills: Map<string, number>
  /** denied, by the rule that spoke */
  denials: Map<string, number>
  /** questions by what became of them: approved, denied, timeout … */
  approvals: Map<string, number>
  outputBytes: number
  /** processes that could not be ended */
  survivors: number
  /** runs of each bucket alone, those that are longer than all in the last one */
  durations: number[]
  durationSeconds: number
}

/** What the executor counts itself. */
export interface Counts {
  isStopping: boolean
  tally: Tally
  /** of the requests of the runs that have not ended */
  liveBytes: number
}

interface ExecutorStats extends Counts {
  pool: ReturnType<Pool['stats']>
  background: ReturnType<Pool['stats']>
  terminals: ReturnType<Pool['stats']>
  /** of output on the disk */
  spoolBytes: number
}

/** The way in for every request, by whichever door it comes, and the place where every run is found. */
export interface Executor {
  /**
   * Begins a run, in its turn: one in each turn of the event loop, so that a burst of commands leaves room for everything else. Resolves
   * when there is one: this, or the one that the key stands for. Throws ShellphoneError for what becomes none. `body`: what came with a
   * key, where the request also holds what the caller said elsewhere (in a header, say).
   */
  execute(request: AnyRequest, caller: Caller, body?: unknown): Promise<Watched>
  /** The same for a tool's own arguments, in its own words. Throws NOT_FOUND for an unknown dialect. */
  executeDialect(name: string, given: unknown, caller: Caller): Promise<DialectRun>
  /** Where a path leads; throws VALIDATION_ERROR, NOT_FOUND and the like. `follows`: the last name, too. */
  place(path: string, follows: boolean): Promise<string>
  /** A transfer of files, in the same turns and by the same steps as a command. */
  transfer(transfer: Transfer, caller: Caller): Promise<Watched>
  /** What would be decided of a command of theirs, and why; runs nothing. FORBIDDEN: only people may suppose other settings. */
  check(request: CheckRequest, who: Who): Promise<Decision>
  /** what waits for a person, and how it is answered */
  approvals: Approvals
  /** A run that has not ended; throws NOT_FOUND, or CONFLICT where it has ended. */
  running(id: string): Promise<Run>
  /** A run for whoever wants to watch or read it, running or ended; throws NOT_FOUND. */
  find(id: string): Promise<Watched>
  /** Its record as it is now. */
  recordOf(id: string): Promise<ExecRecord>
  list(query: ListQuery): Promise<RunSummary[]>
  /** Calls with every run that has not ended, and with each that begins; what comes back ends that. */
  watch(listener: (run: Run) => void): () => void
  /** Its whole output; throws NOT_FOUND, EXPIRED. */
  output(id: string): Promise<RunOutput>
  /** The newest run whose output this token (default: the owner) saved under this name; throws NOT_FOUND. */
  scratchpad(name: string, who?: Who): Promise<string>
  cancel(id: string, why: Note): Promise<CancelOutcome>
  /** The caller of this key has left for good. Throws NOT_FOUND, CONFLICT where the run is in the background. */
  leave(key: string, who: Who): Promise<CancelOutcome>
  stats(): ExecutorStats
  /** plain words on what the store cannot keep, or has lost */
  warnings(): string[]
  /** Takes no more; ends what runs within the grace. */
  close(graceMs: number): Promise<void>
}
