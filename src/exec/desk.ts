import type { Pool } from '../pool/index.ts'
import { type ExecRecord, type ExecRequest, type Limits, ShellphoneError } from '../schema/index.ts'
import type { Store } from '../store/index.ts'
import { carry } from './carry.ts'
import { type PrepareSettings, prepare } from './prepare.ts'
import { createRun, type Run } from './run.ts'

/** What the desk is given: the rooms that it leads a request through, and how each is set. */
export interface DeskParts {
  prepare: PrepareSettings
  pool: Pool
  store: Store
  shell: string
  limits: Limits
  /** first two parts of every mark: the home's key and this service's own random name */
  markPrefix: string
  toText(record: Omit<ExecRecord, 'output'>): string
  /** facts for the log: ids, sizes, times, verdicts; never a command or output */
  log(facts: Record<string, unknown>, sentence: string): void
}

export interface DeskStats {
  pool: { running: number; queued: number }
  isStopping: boolean
  /** how many runs ended how */
  endings: Record<string, number>
  outputBytes: number
}

export interface Desk {
  /** Carries a Request to its Record: prepare, decide, ask, run, record. Throws ShellphoneError for a bad request. */
  execute(request: ExecRequest): Run
  /** A run that has not ended; throws NOT_FOUND. */
  running(id: string): Run
  stats(): DeskStats
  /** Takes no more; ends what runs within the grace. */
  close(graceMs: number): Promise<void>
}

export function createDesk(parts: DeskParts): Desk {
  const live = new Map<string, Run>()
  const endings: Record<string, number> = {}
  let outputBytes = 0
  let isStopping = false

  function execute(request: ExecRequest): Run {
    if (isStopping) throw new ShellphoneError('POOL_FULL', 'The service is stopping', { retryAfterSeconds: 5 })
    const run = createRun(prepare(request, parts.prepare), parts.store, (run) => carry(run, parts))
    live.set(run.id, run)
    run.finished.then(count, () => {}).finally(() => live.delete(run.id))
    return run
  }

  function count(record: ExecRecord): void {
    endings[record.status] = (endings[record.status] ?? 0) + 1
    outputBytes += record.stdout_bytes + record.stderr_bytes
  }

  return {
    execute,
    running(id) {
      const run = live.get(id)
      if (run) return run
      throw new ShellphoneError('NOT_FOUND', `No such run: ${id}`, { field: 'id' })
    },
    stats: () => ({ pool: parts.pool.stats(), isStopping, endings, outputBytes }),
    async close(graceMs) {
      isStopping = true
      await parts.pool.close(graceMs)
      await Promise.allSettled([...live.values()].map((run) => run.finished))
    },
  }
}
