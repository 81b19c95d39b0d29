import { type CancelSignal, type ExecRecord, isEnding, type RunEvent, type RunStatus } from '../schema/index.ts'
import type { Offsets, OutputPiece, RunOutput } from '../store/index.ts'
import { createTurnstile } from './turnstile.ts'

/** A run for whoever watches it, while it runs and after. */
export interface Watched {
  readonly id: string
  /** how `output` events carry their data */
  readonly encoding: 'utf8' | 'base64'
  /** every status so far, oldest first */
  readonly taken: readonly RunStatus[]
  readonly status: RunStatus
  /** resolves at the next */
  changed(): Promise<void>
  readonly output: RunOutput
  readonly finished: Promise<ExecRecord>
}

/** One event, and the byte offsets at which a watcher that has it goes on. */
export interface Told {
  event: RunEvent
  at: Offsets
}

/** A run that ended before anybody asked: its one status, its output, its record. */
export function endedRun(record: ExecRecord, output: RunOutput): Watched {
  const { id, status } = record
  const changed = () => Promise.resolve()
  return { id, encoding: 'utf8', taken: [status], status, changed, output, finished: Promise.resolve(record) }
}

/**
 * What watchers see, from any pair of byte offsets on: each status once, output as it comes, one result at the end.
 * It is pulled: a slow reader costs no memory, and what it misses waits in the spool. Throws what `finished` throws.
 */
export async function* eventsOf(run: Watched, from: Offsets, signal: CancelSignal): AsyncGenerator<Told> {
  let at = from
  let told = 0
  const news = function* (untilEnd = false): Generator<Told> {
    for (; told < run.taken.length; told++) {
      const status = run.taken[told]!
      if (isEnding(status) && !untilEnd) return // output that is on its way comes first
      yield { event: toStatus(run.id, status), at }
    }
  }
  yield* news()
  while (!hasStarted(run) && !signal.aborted) {
    await run.changed()
    yield* news()
  }
  for await (const piece of run.output.follow(from, { signal, text: run.encoding === 'utf8' })) {
    await pass()
    yield* news()
    at = { ...at, [piece.stream]: piece.offset + piece.data.length }
    yield { event: toOutput(run, piece), at }
  }
  if (signal.aborted) return
  const record = await run.finished
  yield* news(true)
  yield { event: { type: 'result', ...record }, at }
}

const pass = createTurnstile()

const hasStarted = ({ status }: Watched) => status === 'running' || isEnding(status)

const toStatus = (id: string, status: RunStatus): RunEvent => ({ type: 'status', id, status })

function toOutput({ id, encoding }: Watched, { stream, offset, data }: OutputPiece): RunEvent {
  return { type: 'output', id, stream, offset, data: data.toString(encoding), encoding }
}
