import {
  type CancelSignal,
  type ExecRecord,
  isEnding,
  type PendingApproval,
  type RunEvent,
  type RunStatus,
  ShellphoneError,
} from '../schema/index.ts'
import type { Offsets, OutputPiece, RunOutput, Store } from '../store/index.ts'
import { toReply } from './to-record.ts'
import { createTurnstile } from './turnstile.ts'

/** A run for whoever watches it, while it runs and after. */
export interface Watched {
  readonly id: string
  /** how `output` events carry their data */
  readonly encoding: 'utf8' | 'base64'
  /** every status so far, oldest first */
  readonly taken: readonly RunStatus[]
  readonly status: RunStatus
  /** the question that waits for a person's answer, while it does */
  readonly waitsFor: PendingApproval | null
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

/** A run that ended before anybody asked: its one status, its output, its record. Throws NOT_FOUND, EXPIRED. */
export async function endedRun(id: string, store: Store): Promise<Watched> {
  const { status } = await endedRecord(id, store)
  return {
    id,
    encoding: 'utf8',
    taken: [status],
    status,
    waitsFor: null,
    changed: () => Promise.resolve(),
    output: await store.output(id),
    // read when it is asked for: a watcher who does not get so far does not hold it
    get finished() {
      return endedRecord(id, store)
    },
  }
}

/** The record of a run that has ended, with the texts that were answered; throws NOT_FOUND. */
export async function endedRecord(id: string, { history }: Store): Promise<ExecRecord> {
  const ended = await history.get(id)
  if (ended) return toReply(ended)
  throw new ShellphoneError('NOT_FOUND', `No such run: ${id.slice(0, 64)}`)
}

/**
 * What watchers see, from any pair of byte offsets on: each status once, a note where it waits for a person, output as it comes, one
 * result at the end.
 * It is pulled: a slow reader costs no memory, and what it misses waits in the spool. Throws what `finished` throws.
 */
export async function* eventsOf(run: Watched, from: Offsets, signal: CancelSignal): AsyncGenerator<Told> {
  let at = from
  let told = 0
  let asked: PendingApproval | null = null
  const news = function* (untilEnd = false): Generator<Told> {
    for (; told < run.taken.length; told++) {
      const status = run.taken[told]!
      if (isEnding(status) && !untilEnd) return // output that is on its way comes first
      yield { event: toStatus(run.id, status), at }
    }
    if (run.waitsFor === null || run.waitsFor === asked) return
    asked = run.waitsFor
    yield { event: toNote(run.id, asked), at }
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
  yield { event: toResult(record), at }
}

const results = new WeakMap<ExecRecord, RunEvent>()

/** One for all who watch a run: what doors make of it is made once. */
function toResult(record: ExecRecord): RunEvent {
  const event: RunEvent = results.get(record) ?? { type: 'result', ...record }
  results.set(record, event)
  return event
}

const pass = createTurnstile()

const hasStarted = ({ status }: Watched) => status === 'running' || isEnding(status)

const toStatus = (id: string, status: RunStatus): RunEvent => ({ type: 'status', id, status })

/** What waits is said at once: else whoever is there sees nothing until the deadline. */
const toNote = (id: string, { id: approval, expires_at }: PendingApproval): RunEvent => ({
  type: 'note',
  id,
  note: `waits for a person's answer until ${expires_at}: shellphone approvals approve ${approval}`,
  approval: { id: approval, expires_at },
})

function toOutput({ id, encoding }: Watched, { stream, offset, data }: OutputPiece): RunEvent {
  return { type: 'output', id, stream, offset, data: data.toString(encoding), encoding }
}
