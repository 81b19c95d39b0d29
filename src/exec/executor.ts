import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Pool } from '../pool/index.ts'
import {
  type CancelSignal,
  type Decision,
  type ExecRecord,
  Registry,
  ShellphoneError,
  type Who,
  type RunSummary,
} from '../schema/index.ts'
import { type Approvals, type ListQuery, newRunId, type RunOutput } from '../store/index.ts'
import { type CheckRequest, checkPolicy } from './check-policy.ts'
import { type DialectRun, executeDialect } from './dialect.ts'
import { endedRecord, endedRun, findScratchpad, refuseEnded } from './ended.ts'
import { execute } from './execute.ts'
import { claim, freeKey, keyOf, replay } from './keyed.ts'
import type { ExecutorParts } from './parts.ts'
import { type CancelOutcome, Run, type Watched } from './run.ts'
import { count, newTally, type Tally } from './tally.ts'
import type { AnyRequest } from './command.ts'
import { placeOf, requestFor, type Transfer } from './transfer.ts'

/** Who asks for a command and waits for its end. */
export interface Caller {
  /** an Idempotency-Key: the same key and body give the same run, another body CONFLICT */
  key?: string | undefined
  /** aborts when the caller has gone; the run is cancelled when the last who waits for it goes before its end */
  gone: CancelSignal
  /** whose token it is */
  who: Who
}

interface Counts {
  isStopping: boolean
  tally: Tally
  /** of the requests of the runs that have not ended */
  liveBytes: number
}

export interface ExecutorStats extends Counts {
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
   * when there is one: this, or the one that the key stands for. Throws ShellphoneError for what becomes none.
   */
  execute(request: AnyRequest, caller: Caller): Promise<Watched>
  /** The same for a tool's own arguments, in its own words. Throws NOT_FOUND for an unknown dialect. */
  executeDialect(name: string, given: unknown, caller: Caller): Promise<DialectRun>
  /** Where a path leads; throws VALIDATION_ERROR, NOT_FOUND and the like. `follows`: the last name, too. */
  place(path: string, follows: boolean): Promise<string>
  /** A transfer of files, in the same turns and by the same steps as a command. */
  transfer(transfer: Transfer, caller: Caller): Promise<Watched>
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
  list(query: ListQuery): Promise<RunSummary[]>
  /** Calls with every run that has not ended, and with each that begins; what comes back ends that. */
  watch(listener: (run: Run) => void): () => void
  /** Its whole output; throws NOT_FOUND, EXPIRED. */
  output(id: string): Promise<RunOutput>
  /** The newest run whose output was saved under this name, `token`: of those of that token; throws NOT_FOUND. */
  scratchpad(name: string, token?: string): Promise<string>
  cancel(id: string, why: string): Promise<CancelOutcome>
  stats(): ExecutorStats
  /** plain words on what the store cannot keep, or has lost */
  warnings(): string[]
  /** Takes no more; ends what runs within the grace. */
  close(graceMs: number): Promise<void>
}

export function createExecutor(parts: ExecutorParts): Executor {
  const { store, approvals } = parts
  const live = new Registry<string, Run>()
  const listeners = new Set<(run: Run) => void>()
  let turn = Promise.resolve()
  const counts: Counts = { isStopping: false, tally: newTally(), liveBytes: 0 }

  /** `body`: what came with a key, in the caller's own words. */
  async function begin(
    request: AnyRequest,
    { key: name, gone, who }: Caller,
    body: unknown = request,
    transfer: Transfer | null = null,
  ): Promise<Watched> {
    turn = turn.then(nextTurn)
    await turn
    if (counts.isStopping) throw full('The service is stopping')
    if (transfer) checkTransfers(live.values())
    if (counts.liveBytes > MAX_LIVE_BYTES) throw full(`commands of ${counts.liveBytes} bytes have not ended yet`)
    const ownId = newRunId(Date.now())
    const key = name === undefined ? undefined : keyOf(name, body, who)
    const id = key ? claim(key, ownId, store) : ownId
    if (id === ownId) void keep(new Run(id, request, key, who, transfer), live, counts, parts)
    const run = live.get(id)
    if (run === undefined) return replay(id, store)
    await run.prepared
    await run.begun
    if (id === ownId) for (const listener of listeners) listener(run)
    void run.join(gone)
    return run
  }

  return {
    execute: begin,
    executeDialect: (dialect, given, caller) =>
      executeDialect(dialect, given, parts, (request) => begin(request, caller, { dialect, given })),
    place: (path, follows) => placeOf(path, follows, parts),
    transfer: (transfer, caller) => begin(requestFor(transfer, parts), caller, null, transfer),
    check: (request) => checkPolicy(request, parts),
    approvals,
    running: async (id) => live.get(id) ?? refuseEnded(id, store),
    find: async (id) => live.get(id) ?? endedRun(id, store),
    recordOf: async (id) => live.get(id)?.recordNow() ?? endedRecord(id, store),
    list: (query) => store.history.list(query),
    watch(listener) {
      listeners.add(listener)
      for (const run of live.values()) if (run.taken.length > 0) listener(run)
      return () => void listeners.delete(listener)
    },
    output: (id) => store.output(id),
    scratchpad: (name, token) => findScratchpad({ name, token }, store),
    cancel: async (id, why) => live.get(id)?.cancel(why) ?? (await endedRecord(id, store), 'already_finished'),
    warnings: store.warnings,
    stats: () => ({ ...counts, ...statsOf(parts) }),
    close(graceMs) {
      counts.isStopping = true
      return endAll(live, graceMs, parts)
    },
  }
}

const statsOf = ({ pool, backgroundPool, terminals, store }: ExecutorParts) => ({
  pool: pool.stats(),
  background: backgroundPool.stats(),
  terminals: terminals.pool.stats(),
  spoolBytes: store.spoolBytes(),
})

/** Questions first, then what has a slot, then what has none; each has its record before the store closes. */
async function endAll(live: Registry<string, Run>, graceMs: number, parts: ExecutorParts): Promise<void> {
  const { store, pool, backgroundPool, terminals, approvals } = parts
  approvals.close()
  await Promise.all([pool, backgroundPool, terminals.pool].map((one) => one.close(graceMs)))
  for (const run of live.values()) run.cancel('the service is stopping')
  await Promise.allSettled(live.values().map((run) => run.finished))
  store.close()
}

/** Requests in memory, of all runs together: with more than this no further one is taken. */
const MAX_LIVE_BYTES = 67_108_864
/** Transfers at once, those that wait for a person too; each holds a connection, a file and some buffers. */
const MAX_TRANSFERS = 64

function checkTransfers(others: Run[]): void {
  if (others.filter(({ transfer }) => transfer !== null).length < MAX_TRANSFERS) return
  throw full(`${MAX_TRANSFERS} transfers of files go on already`, 2)
}

const full = (why: string, retryAfterSeconds = 5) => new ShellphoneError('POOL_FULL', why, { retryAfterSeconds })

/** Carries a run from its first step to its last. */
async function keep(run: Run, live: Registry<string, Run>, counts: Counts, parts: ExecutorParts): Promise<void> {
  const { command, stdin = '' } = run.request
  const bytes = command.length + stdin.length
  live.set(run.id, run)
  counts.liveBytes += bytes
  run.finished = execute(run, parts)
  try {
    const record = await run.finished
    setImmediate(tell, record, parts) // the answer goes first
    count(counts.tally, record)
  } catch (error) {
    freeKey(run, error, parts.store) // whoever waits for it hears why
  } finally {
    counts.liveBytes -= bytes
    live.delete(run.id)
  }
}

/** One line of the log for each run: ids, sizes, times, verdicts; never a command or output. */
function tell(record: ExecRecord, { log }: ExecutorParts): void {
  const { id, status, exit_code, signal, stdout_bytes, stderr_bytes, queued_ms, duration_ms, decision } = record
  const { verdict, rule } = decision
  log.info(
    { run: id, status, exit_code, signal, stdout_bytes, stderr_bytes, queued_ms, duration_ms, verdict, rule },
    'ran',
  )
}
