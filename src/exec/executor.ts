import { type Decision, type ExecRecord, ShellphoneError } from '../schema/index.ts'
import type { Approvals, ListQuery, RunOutput, RunRecord } from '../store/index.ts'
import { type CheckRequest, checkPolicy } from './check-policy.ts'
import { type DialectRun, executeDialect } from './dialect.ts'
import type { ExecutorParts } from './parts.ts'
import type { CancelOutcome, Run } from './run.ts'
import { type Caller, createRunTable, type RunCounts } from './run-table.ts'
import { createScratchpads } from './scratchpads.ts'
import type { AnyRequest } from './to-command.ts'
import { endedRecord, endedRun, type Watched } from './watch.ts'

export interface ExecutorStats extends RunCounts {
  pool: { running: number; queued: number }
  background: { running: number; queued: number }
}

/** The way in for every request, by whichever door it comes, and the place where every run is found. */
export interface Executor {
  /** Takes its turn and begins: resolves with the run as soon as there is one. Throws ShellphoneError for what becomes none. */
  execute(request: AnyRequest, caller: Caller): Promise<Watched>
  /** The same for a tool's own arguments, in its own words. Throws NOT_FOUND for an unknown dialect. */
  executeDialect(name: string, given: unknown, caller: Caller): Promise<DialectRun>
  /** What would be decided, and why; runs nothing. */
  check(request: CheckRequest): Decision
  /** what waits for a person, and how it is answered */
  approvals: Approvals
  /** A run that has not ended; throws NOT_FOUND, or CONFLICT where it has ended. */
  running(id: string): Promise<Run>
  /** A run for whoever wants to watch or read it, running or ended; throws NOT_FOUND. */
  find(id: string): Promise<Watched>
  /** Its record as it is now. */
  recordOf(id: string): Promise<ExecRecord>
  list(query: ListQuery): Promise<RunRecord[]>
  /** Its whole output; throws NOT_FOUND, EXPIRED. */
  output(id: string): Promise<RunOutput>
  /** The newest run whose output was saved under this name; throws NOT_FOUND. */
  scratchpad(name: string): Promise<string>
  cancel(id: string, why: string): Promise<CancelOutcome>
  stats(): ExecutorStats
  /** plain words on what the store cannot keep, or has lost */
  warnings(): string[]
  /** Takes no more; ends what runs within the grace. */
  close(graceMs: number): Promise<void>
}

export function createExecutor(parts: ExecutorParts): Executor {
  const { store, pool, backgroundPool, approvals } = parts
  const scratchpads = createScratchpads(store)
  const runs = createRunTable(parts, scratchpads)
  const { execute } = runs

  return {
    execute,
    executeDialect: (dialect, given, caller) =>
      executeDialect(dialect, given, parts, (request) => execute(request, caller, { dialect, given })),
    check: (request) => checkPolicy(request, parts),
    approvals,
    async running(id) {
      const run = runs.get(id)
      if (run) return run
      const { status } = await endedRecord(id, store)
      throw new ShellphoneError('CONFLICT', `Run ${id} has ended (${status})`)
    },
    find: async (id) => runs.get(id) ?? endedRun(id, store),
    recordOf: async (id) => runs.get(id)?.recordNow() ?? endedRecord(id, store),
    list: (query) => store.history.list(query),
    output: (id) => store.output(id),
    scratchpad: (name) => scratchpads.find(name),
    async cancel(id, why) {
      const run = runs.get(id)
      if (run) return run.cancel(why)
      await endedRecord(id, store)
      return 'already_finished'
    },
    warnings: store.warnings,
    stats: () => ({ pool: pool.stats(), background: backgroundPool.stats(), ...runs.counts }),
    async close(graceMs) {
      runs.stop()
      approvals.close()
      await Promise.all([pool.close(graceMs), backgroundPool.close(graceMs)])
      await runs.ended()
      store.close()
    },
  }
}
