import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type ExecRecord,
  mayTake,
  note,
  OWNER,
  sharerOf,
  ShellphoneError,
  type Who,
} from '../../shared/schema/index.ts'
import { newRunId, type RunKey } from '../store/index.ts'
import { checkPolicy } from './check-policy.ts'
import type { AnyRequest, Caller, Command } from './command.ts'
import { createDialectVerbs } from './execute-dialect.ts'
import { endedRecord, endedRun, findScratchpad, refuseEnded } from './ended.ts'
import { execute, open } from './execute.ts'
import type { Counts, Executor, Tally } from './executor-verbs.ts'
import { claim, freeKey, keyOf, leaveKeyed, olderRun, replay } from './keyed.ts'
import type { ExecutorParts } from './executor-parts.ts'
import { enterSession } from './in-session.ts'
import type { Run, Watched } from './run.ts'
import { turnTaken } from './take-turn.ts'
import { unreachableError } from './to-command.ts'
import { resolveTarget, requestFor } from './transfer-request.ts'

/** Creates the executor, which holds the live state of a service: its runs, their listeners, and the counts of ended runs. */
export function createExecutor(parts: ExecutorParts): Executor {
  const { store, approvals } = parts
  const live = new Map<string, Run>()
  const listeners = new Set<(run: Run) => void>()
  let turn = Promise.resolve()
  const counts: Counts = { isStopping: false, tally: newTally(), liveBytes: 0 }

  const recordOf = async (id: string) => live.get(id)?.recordNow() ?? endedRecord(id, store)
  /** `body`: the body to which the key is bound. */
  async function beginRun(request: AnyRequest, caller: Caller, body: unknown): Promise<Watched> {
    const { key: name, gone, who, via, turnPatienceMs } = caller
    const refusal = await unreachableError(request, parts)
    turn = turn.then(nextTurn)
    await turn
    if (counts.isStopping) throw full('The service is stopping')
    const ownId = newRunId(Date.now())
    const key = name === undefined ? undefined : keyOf(name, body, who)
    const older = name === undefined ? null : await olderRun(name, body, who, store)
    const id = older ?? (key ? claim(key, ownId, store) : ownId)
    const isNew = id === ownId
    const check = () => {
      if (refusal) throw refusal
      if (request.transfer) checkTransfers([...live.values()], who)
      checkBytes(live, counts, who)
    }
    const run = isNew ? openKeyed(request, id, key, { who, via }, check, parts) : live.get(id)
    if (!isNew) request.turn?.release()
    if (run === undefined) return replay(id, store)
    if (isNew) void supervise(run, live, counts, parts)
    await run.begun
    if (isNew) for (const listener of listeners) listener(run)
    void run.join(gone)
    if (turnPatienceMs !== undefined) await turnTaken(run)
    return run
  }
  const begin = (request: AnyRequest, caller: Caller, body: unknown = request) =>
    enterSession(request, caller, parts, (joined) => beginRun(joined, caller, body))

  return {
    execute: (request, caller, body) => begin(request, caller, body),
    ...createDialectVerbs(begin, recordOf, parts),
    resolvePath: (path, follows) => resolveTarget(path, follows, parts),
    transfer: (transfer, caller) => begin(requestFor(transfer, parts), caller, null),
    check: (request, who) => checkPolicy(request, who, parts),
    ...{ approvals, events: store.history.events, sessions: parts.sessions },
    running: async (id) => live.get(id) ?? refuseEnded(id, store),
    find: async (id) => live.get(id) ?? endedRun(id, store),
    recordOf,
    list: async (query) =>
      (await store.history.list(query)).map((record) => ({ ...record, ...live.get(record.id)?.progress() })),
    watch: (listener) => watchRuns(listener, listeners, live),
    output: (id) => store.output(id),
    scratchpad: (name, who = OWNER) => findScratchpad(name, who, store),
    cancel: async (id, why) => live.get(id)?.cancel(why) ?? (await endedRecord(id, store), 'already_finished'),
    leave: (key, who) => leaveKeyed(key, who, [...live.values()]),
    warnings: store.warnings,
    stats: () => ({ ...counts, ...statsOf(parts) }),
    close: (graceMs) => endAll(live, counts, graceMs, parts),
  }
}

/** Calls back at once with the runs that have already begun. Returns a function that unsubscribes. */
function watchRuns(
  listener: (run: Run) => void,
  listeners: Set<(run: Run) => void>,
  live: Map<string, Run>,
): () => void {
  listeners.add(listener)
  for (const run of live.values()) if (run.statuses.length > 0) listener(run)
  return () => void listeners.delete(listener)
}

const statsOf = ({ pool, backgroundPool, terminals, store }: ExecutorParts) => ({
  pool: pool.stats(),
  background: backgroundPool.stats(),
  terminals: terminals.pool.stats(),
  spoolBytes: store.spoolBytes(),
})

/** Ends approval requests first, then runs with a slot, then queued runs. Each gets its record before the store closes. */
async function endAll(live: Map<string, Run>, counts: Counts, graceMs: number, parts: ExecutorParts): Promise<void> {
  counts.isStopping = true
  const { store, pool, backgroundPool, terminals, approvals } = parts
  approvals.close()
  await Promise.all([pool, backgroundPool, terminals.pool].map((one) => one.close(graceMs)))
  for (const run of live.values()) run.cancel(note('SERVICE_STOPPING'))
  await Promise.allSettled([...live.values()].map((run) => run.finished))
  store.close()
  parts.sessions.close()
}

/** Maximum request bytes of all live runs together. Beyond it, further requests are refused. */
const MAX_LIVE_BYTES = 67_108_864
function checkBytes(live: Map<string, Run>, { liveBytes: taken }: Counts, who: Who): void {
  if (taken <= MAX_LIVE_BYTES / 2) return // one token may use half; the other half is reserved for other tokens
  const runs = [...live.values()].filter((run) => run.who.id === who.id)
  const own = runs.reduce((sum, { command }) => sum + bytesOf(command), 0)
  if (mayTake(sharerOf(who), { own, taken, most: MAX_LIVE_BYTES })) return
  throw full(`commands of ${taken} bytes have not ended yet; ${own} bytes belong to this token`)
}

const bytesOf = ({ script, stdin, transfer }: Command) =>
  script.length + (stdin?.length ?? 0) + (transfer?.heldBytes ?? 0)

/** Maximum number of live transfers, including pending ones. Each holds a connection, a file and some buffers. */
const MAX_TRANSFERS = 64

function checkTransfers(runs: Run[], who: Who): void {
  const transfers = runs.filter(({ command }) => command.transfer !== null)
  const own = transfers.filter((run) => run.who.id === who.id).length
  if (mayTake(sharerOf(who), { own, taken: transfers.length, most: MAX_TRANSFERS })) return
  const whose = transfers.length < MAX_TRANSFERS ? `, ${own} of them this token's, which is its share` : ''
  throw full(`${transfers.length} file transfers are already in progress${whose}`, 2)
}

const full = (why: string, retryAfterSeconds = 5) => new ShellphoneError('POOL_FULL', why, { retryAfterSeconds })

/** Opens a run. Frees the key if the request does not become a run. */
function openKeyed(
  request: AnyRequest,
  id: string,
  key: RunKey | undefined,
  sender: Pick<Caller, 'who' | 'via'>,
  check: () => void,
  parts: ExecutorParts,
): Run {
  try {
    check()
    return open(request, id, key, sender, parts)
  } catch (error) {
    freeKey(id, key, error, parts.store)
    throw error
  }
}

/** Takes a run from its first step to its last. Never rejects. */
async function supervise(run: Run, live: Map<string, Run>, counts: Counts, parts: ExecutorParts): Promise<void> {
  const bytes = bytesOf(run.command)
  live.set(run.id, run)
  counts.liveBytes += bytes
  run.command.session?.turn.began(run.id)
  run.start(execute(run, parts))
  try {
    const record = await run.finished
    setImmediate(logEnd, record, parts) // after the reply
    count(counts.tally, record)
  } catch (error) {
    freeKey(run.id, run.key, error, parts.store) // the waiting callers receive the error themselves
  } finally {
    counts.liveBytes -= bytes
    live.delete(run.id)
    run.command.session?.turn.release()
  }
}

/** Logs one line per run: ids, sizes, times and verdicts; never a command or output. */
function logEnd(record: ExecRecord, { log }: ExecutorParts): void {
  const { id, status, exit_code, signal, stdout_bytes, stderr_bytes, queued_ms, duration_ms, decision } = record
  const { verdict, rule } = decision
  log.info(
    { run: id, status, exit_code, signal, stdout_bytes, stderr_bytes, queued_ms, duration_ms, verdict, rule },
    'ran',
  )
}

/** Maximum number of labels per count; further labels are counted as `other`. */
const MAX_LABELS = 128
/** Upper bounds of the duration histogram's buckets, in seconds; the last bucket has no upper bound. */
export const DURATION_BUCKETS = [0.01, 0.05, 0.25, 1, 5, 30, 120, 600, 3600]

const newTally = (): Tally => ({
  endings: new Map(),
  kills: new Map(),
  denials: new Map(),
  approvals: new Map(),
  outputBytes: 0,
  survivors: 0,
  durations: Array(DURATION_BUCKETS.length + 1).fill(0),
  durationSeconds: 0,
})

/** Counts a run that has ended. */
function count(tally: Tally, record: ExecRecord): void {
  const { status, decision, approval, started_at } = record
  add(tally.endings, status)
  if (status === 'denied') add(tally.denials, decision.rule ?? 'other')
  if (approval) add(tally.approvals, approval.outcome)
  tally.outputBytes += record.stdout_bytes + record.stderr_bytes
  tally.survivors += record.left_behind.survivors.length
  if (started_at === null) return
  if (status === 'timed_out' || status === 'canceled') add(tally.kills, status)
  const seconds = record.duration_ms / 1000
  let bucket = 0
  while (bucket < DURATION_BUCKETS.length && seconds > DURATION_BUCKETS[bucket]!) bucket++
  tally.durations[bucket]!++
  tally.durationSeconds += seconds
}

function add(counts: Map<string, number>, label: string): void {
  const key = counts.has(label) || counts.size < MAX_LABELS ? label : 'other'
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
