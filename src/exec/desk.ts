import { createHash } from 'node:crypto'
import type { PolicySettings } from '../policy/index.ts'
import type { Pool } from '../pool/index.ts'
import { type Decision, type ExecRecord, type ExecRequest, Registry, ShellphoneError } from '../schema/index.ts'
import {
  type Approvals,
  type ListQuery,
  newRunId,
  type RunKey,
  type RunOutput,
  type RunRecord,
  type Store,
} from '../store/index.ts'
import { carry } from './carry.ts'
import { type CheckRequest, checkPolicy } from './check-policy.ts'
import { type DialectParts, type DialectRun, executeDialect } from './dialect.ts'
import type { Judge } from './judge.ts'
import { type AnyRequest, type PrepareSettings, prepare } from './prepare.ts'
import { createRun, type Run } from './run.ts'
import { createScratchpads } from './scratchpads.ts'
import { toReply } from './to-record.ts'
import { createTurnstile } from './turnstile.ts'
import { endedRun, type Watched } from './watch.ts'

/** What the desk is given: the rooms that it leads a request through, and how each is set. */
export interface DeskParts {
  prepare: PrepareSettings
  judge: Judge
  dialects: DialectParts
  /** the owner's, for POST /policy/check to start from */
  policy: PolicySettings
  approvals: Approvals
  /** false: nobody can be asked, so that asking is denying */
  canAsk: boolean
  pool: Pool
  /** long runs have slots of their own, so that they never take those of quick ones */
  backgroundPool: Pool
  store: Store
  shell: string
  /** where boxed commands get temporary folders of their own */
  temporaryFolder: string
  /** first two parts of every mark: the home's key and this service's own random name */
  markPrefix: string
  /** facts for the log: ids, sizes, times, verdicts; never a command or output */
  log(facts: Record<string, unknown>, sentence: string): void
}

export interface DeskStats {
  pool: { running: number; queued: number }
  background: { running: number; queued: number }
  isStopping: boolean
  /** how many runs ended how */
  endings: Record<string, number>
  outputBytes: number
}

export interface Desk {
  /** One caller in each turn of the event loop: a burst of commands leaves room for everything else. */
  turn(): Promise<void>
  /** Carries a Request to its Record: prepare, decide, ask, run, record. Throws ShellphoneError for a bad request. */
  execute(request: AnyRequest): Run
  /** The same, once per Idempotency-Key: the same key and body give the same run, another body CONFLICT. */
  executeOnce(key: string, request: ExecRequest): Promise<Watched>
  /** A tool's own arguments, in its own words. Throws NOT_FOUND for an unknown dialect. */
  executeDialect(name: string, given: unknown): DialectRun
  /** What would be decided, and why; runs nothing. */
  check(request: CheckRequest): Decision
  /** what waits for a person, and how it is answered */
  approvals: Approvals
  /** A run that has not ended; throws NOT_FOUND, or CONFLICT where it has ended. */
  running(id: string): Promise<Run>
  /** A run for whoever wants to watch or read it, running or ended; throws NOT_FOUND. */
  find(id: string): Promise<Watched>
  /** Its record as it is now. */
  look(id: string): Promise<ExecRecord>
  list(query: ListQuery): Promise<RunRecord[]>
  /** Its whole output; throws NOT_FOUND, EXPIRED. */
  output(id: string): Promise<RunOutput>
  /** The newest run whose output was saved under this name; throws NOT_FOUND. */
  scratchpad(name: string): Promise<string>
  cancel(id: string, why: string): Promise<'cancel_requested' | 'already_finished'>
  stats(): DeskStats
  /** Takes no more; ends what runs within the grace. */
  close(graceMs: number): Promise<void>
}

export function createDesk(parts: DeskParts): Desk {
  const { store } = parts
  const live = new Registry<string, Run>()
  const endings: Record<string, number> = {}
  const scratchpads = createScratchpads(store)
  let outputBytes = 0
  let isStopping = false

  function start(request: AnyRequest, id: string, key?: RunKey): Run {
    if (isStopping) throw new ShellphoneError('POOL_FULL', 'The service is stopping', { retryAfterSeconds: 5 })
    const command = prepare(request, parts.prepare)
    const run = createRun(id, command, store.spool(id), (run) => carry(run, parts, key))
    live.set(id, run)
    if (command.wish.scratchpad !== null) scratchpads.note(command.wish.scratchpad, id)
    const leave = () => live.delete(id)
    run.finished.then(leave, leave)
    run.finished.then(
      (record) => setImmediate(count, record),
      () => {},
    ) // the answer goes first
    return run
  }

  const execute = (request: AnyRequest) => start(request, newRunId(Date.now()))

  function count(record: ExecRecord): void {
    const { id, status, exit_code, signal, stdout_bytes, stderr_bytes, queued_ms, duration_ms, decision } = record
    const { verdict, rule } = decision
    parts.log(
      { run: id, status, exit_code, signal, stdout_bytes, stderr_bytes, queued_ms, duration_ms, verdict, rule },
      'ran',
    )
    endings[status] = (endings[status] ?? 0) + 1
    outputBytes += stdout_bytes + stderr_bytes
  }

  async function executeOnce(key: string, request: ExecRequest): Promise<Watched> {
    const id = newRunId(Date.now())
    const digest = digestOf(request)
    const { outcome, runId } = store.keys.claim(key, digest, id)
    if (outcome === 'replay') return find(runId)
    if (outcome === 'conflict') {
      throw new ShellphoneError('CONFLICT', `Idempotency-Key: was used with another body, for run ${runId}`)
    }
    const release = () => store.keys.release(key, id)
    try {
      const run = start(request, id, { key, digest })
      run.finished.catch(release)
      return run
    } catch (error) {
      release() // a bad request takes no key
      throw error
    }
  }

  async function look(id: string): Promise<ExecRecord> {
    const run = live.get(id)
    if (run) return { ...run.record, stdout_bytes: run.output.size('stdout'), stderr_bytes: run.output.size('stderr') }
    const ended = await store.history.get(id)
    if (ended) return toReply(ended)
    throw new ShellphoneError('NOT_FOUND', `No such run: ${id.slice(0, 64)}`)
  }

  async function find(id: string): Promise<Watched> {
    return live.get(id) ?? endedRun(await look(id), await store.output(id))
  }

  return {
    turn: createTurnstile(),
    execute,
    executeOnce,
    approvals: parts.approvals,
    executeDialect: (name, given) => executeDialect(name, given, execute, parts.dialects),
    check: (request) => checkPolicy(request, parts),
    async running(id) {
      const run = live.get(id)
      if (run) return run
      const { status } = await look(id)
      throw new ShellphoneError('CONFLICT', `Run ${id} has ended (${status})`)
    },
    find,
    look,
    list: (query) => store.history.list(query),
    output: (id) => store.output(id),
    scratchpad: (name) => scratchpads.find(name),
    async cancel(id, why) {
      const run = live.get(id)
      if (run) return run.cancel(why)
      await look(id)
      return 'already_finished'
    },
    stats: () => ({
      pool: parts.pool.stats(),
      background: parts.backgroundPool.stats(),
      isStopping,
      endings,
      outputBytes,
    }),
    async close(graceMs) {
      isStopping = true
      parts.approvals.close()
      await Promise.all([parts.pool.close(graceMs), parts.backgroundPool.close(graceMs)])
      await Promise.allSettled(live.values().map((run) => run.finished))
      store.close()
    },
  }
}

/** Of the body with its fields in one order, so that the same request has the same digest. */
function digestOf(request: ExecRequest): string {
  const ordered = JSON.stringify(request, (_name, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )
  return createHash('sha256').update(ordered).digest('hex')
}
