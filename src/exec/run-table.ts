import { createHash } from 'node:crypto'
import { type CancelSignal, type ExecRecord, Registry, ShellphoneError } from '../schema/index.ts'
import { newRunId, type RunKey, type Store } from '../store/index.ts'
import { execute } from './execute.ts'
import type { ExecutorParts } from './parts.ts'
import { Run } from './run.ts'
import type { Scratchpads } from './scratchpads.ts'
import type { AnyRequest } from './to-command.ts'
import { createTurnstile } from './turnstile.ts'
import { endedRun, type Watched } from './watch.ts'

/** Who asks for a command and waits for its end. */
export interface Caller {
  /** an Idempotency-Key: the same key and body give the same run, another body CONFLICT */
  key?: string | undefined
  /** aborts when the caller has gone; the run is cancelled when the last who waits for it goes before its end */
  gone: CancelSignal
}

export interface RunCounts {
  isStopping: boolean
  /** how many runs ended how */
  endings: Record<string, number>
  outputBytes: number
}

/** The runs from their first step to their last. */
export interface RunTable {
  /**
   * Begins a run, in its turn: one in each turn of the event loop, so that a burst of commands leaves room for everything else. Resolves
   * when there is one: this, or the one that the key stands for. `body`: what came with the key, in the caller's own words.
   */
  execute(request: AnyRequest, caller: Caller, body?: unknown): Promise<Watched>
  get(id: string): Run | undefined
  counts: Readonly<RunCounts>
  /** Begins none any more. */
  stop(): void
  /** Resolves when none is live. */
  ended(): Promise<void>
}

export function createRunTable(parts: ExecutorParts, scratchpads: Scratchpads): RunTable {
  const { store } = parts
  const live = new Registry<string, Run>()
  const turn = createTurnstile()
  const counts: RunCounts = { isStopping: false, endings: {}, outputBytes: 0 }

  async function keep(run: Run): Promise<void> {
    live.set(run.id, run)
    run.finished = execute(run, parts)
    try {
      const record = await run.finished
      setImmediate(tell, record, parts) // the answer goes first
      counts.endings[record.status] = (counts.endings[record.status] ?? 0) + 1
      counts.outputBytes += record.stdout_bytes + record.stderr_bytes
    } catch (error) {
      // whoever waits for it hears why; the key may be tried again where nothing can have run
      if (run.key && error instanceof ShellphoneError) store.keys.release(run.key.key, run.id)
    } finally {
      live.delete(run.id)
    }
  }

  return {
    async execute(request, { key: name, gone }, body = request) {
      await turn()
      if (counts.isStopping) throw new ShellphoneError('POOL_FULL', 'The service is stopping', { retryAfterSeconds: 5 })
      const ownId = newRunId(Date.now())
      const key = name === undefined ? undefined : { key: name, digest: digestOf(body) }
      const id = key ? claim(key, ownId, store) : ownId
      if (id === ownId) void keep(new Run(id, request, key))
      const run = live.get(id)
      if (run === undefined) return replay(id, store)
      if (run.taken.length === 0) await Promise.race([run.changed(), run.finished])
      const { scratchpad } = run.command.wish
      if (scratchpad !== null && id === ownId) scratchpads.note(scratchpad, id)
      run.join(gone)
      return run
    },
    get: (id) => live.get(id),
    counts,
    stop() {
      counts.isStopping = true
    },
    async ended() {
      await Promise.allSettled(live.values().map((run) => run.finished))
    },
  }
}

/** One line of the log for each run: ids, sizes, times, verdicts; never a command or output. */
function tell(record: ExecRecord, { log }: ExecutorParts): void {
  const { id, status, exit_code, signal, stdout_bytes, stderr_bytes, queued_ms, duration_ms, decision } = record
  const { verdict, rule } = decision
  log({ run: id, status, exit_code, signal, stdout_bytes, stderr_bytes, queued_ms, duration_ms, verdict, rule }, 'ran')
}

/** The run that a key stands for: this one, or the one that it came with first. */
function claim({ key, digest }: RunKey, id: string, { keys }: Store): string {
  const { outcome, runId } = keys.claim(key, digest, id)
  if (outcome !== 'conflict') return runId
  throw new ShellphoneError('CONFLICT', `Idempotency-Key: was used with another body, for run ${runId}`)
}

/** The run of a key that has ended; the key may outlive its record. */
async function replay(id: string, store: Store): Promise<Watched> {
  if (await store.history.get(id)) return endedRun(id, store)
  throw new ShellphoneError('EXPIRED', `Idempotency-Key: stands for run ${id}, whose record is no longer kept`)
}

/** Of the body with its fields in one order, so that the same request has the same digest. */
function digestOf(body: unknown): string {
  const ordered = JSON.stringify(body, (_name, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )
  return createHash('sha256').update(ordered).digest('hex')
}
