import type { Child, ExecRecord, RunEvent, RunStatus } from '../schema/index.ts'
import { newRunId, type Offsets, type OutputPiece, type Spool, type Store } from '../store/index.ts'
import { createLifecycle, isEnding, type Lifecycle } from './lifecycle.ts'
import type { Command } from './prepare.ts'

/** One Command on its way. `finished` rejects only where the request never became a process (POOL_FULL, EXECUTION_ERROR). */
export interface Run {
  readonly id: string
  readonly command: Command
  readonly lifecycle: Lifecycle
  readonly spool: Spool
  /** aborts when the run is to be cancelled; its reason is told in the notes */
  readonly canceled: AbortSignal
  readonly finished: Promise<ExecRecord>
  /** the started shell, while it lives; for stdin and signals */
  child: Child | null
  /** Ends the whole tree: SIGTERM, grace, SIGKILL. Twice is harmless. */
  cancel(why: string): 'cancel_requested' | 'already_finished'
}

/** Starts a Command on its way; `carry` takes it to its record. */
export function createRun(command: Command, store: Store, carry: (run: Run) => Promise<ExecRecord>): Run {
  const id = newRunId(Date.now())
  const abort = new AbortController()
  const lifecycle = createLifecycle()
  const run = {
    id,
    command,
    lifecycle,
    spool: store.spool(id),
    canceled: abort.signal,
    child: null,
    cancel(why: string) {
      if (isEnding(lifecycle.status)) return 'already_finished' as const
      abort.abort(why)
      return 'cancel_requested' as const
    },
  }
  const finished = carry(run as unknown as Run)
  finished.catch(() => {}) // whoever watches hears of it; that nobody watches is no crash
  return Object.assign(run, { finished })
}

/** One event, and the byte offsets at which a watcher that has it goes on. */
export interface Told {
  event: RunEvent
  at: Offsets
}

/**
 * What watchers see, from any pair of byte offsets on: each status once, output as it comes, one result at the end.
 * It is pulled: a slow reader costs no memory, and what it misses waits in the spool. Throws what `finished` throws.
 */
export async function* eventsOf(run: Run, from: Offsets, signal: AbortSignal): AsyncGenerator<Told> {
  let at = from
  let told = 0
  const news = function* (): Generator<Told> {
    for (; told < run.lifecycle.taken.length; told++)
      yield { event: statusEvent(run.id, run.lifecycle.taken[told]!), at }
  }
  yield* news()
  while (!hasStarted(run) && !signal.aborted) {
    await run.lifecycle.changed()
    yield* news()
  }
  for await (const piece of run.spool.follow(from, { signal, text: run.command.encoding === 'utf8' })) {
    yield* news()
    at = { ...at, [piece.stream]: piece.offset + piece.data.length }
    yield { event: outputEvent(run, piece), at }
  }
  if (signal.aborted) return
  const record = await run.finished
  yield* news()
  yield { event: { type: 'result', ...record }, at }
}

const hasStarted = (run: Run) => run.lifecycle.status === 'running' || isEnding(run.lifecycle.status)

const statusEvent = (id: string, status: RunStatus): RunEvent => ({ type: 'status', id, status })

function outputEvent({ id, command: { encoding } }: Run, { stream, offset, data }: OutputPiece): RunEvent {
  return { type: 'output', id, stream, offset, data: data.toString(encoding), encoding }
}
