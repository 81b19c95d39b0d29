import {
  type ExecRecord,
  isEnding,
  note,
  type Note,
  type PendingApproval,
  type RunEvent,
  type StreamedRunEvent,
} from '../../shared/schema/index.ts'
import type { Offsets, OutputPiece } from '../store/index.ts'
import type { Watched } from './run.ts'

/**
 * An event of a run. `piece`: the raw output of an `output` event, for watchers that do not need text; otherwise null. `at`: the byte offsets
 * from which a watcher resumes after this event.
 */
interface WatchedEvent {
  /** the id of its run */
  id: string
  at: Offsets
  piece: OutputPiece | null
  toEvent(): StreamedRunEvent
}

/** The form in which the watchers of a run receive its events. */
export interface EventForm {
  /** Returns an event, except the last, in this form. */
  shown(event: RunEvent): StreamedRunEvent
  /** Resolves with the run that follows in the same call, once it has begun; null: none. Absent: there is never one. */
  next?(run: Watched): Promise<Watched | null>
  /** Returns the last event of a run that has ended. Throws whatever `finished` throws. */
  last(): Promise<StreamedRunEvent>
}

export interface EventOptions {
  /** the encoding of the output; default: that of the run's request */
  encoding?: Watched['encoding'] | undefined
  /** default: the events of POST /exec */
  form?: EventForm | undefined
}

const formOf = (run: Watched): EventForm => ({
  shown: (event) => event,
  last: async () => toResult(await run.finished),
})

/**
 * Yields the events of a run from any pair of byte offsets: each status once, a note when the run waits for approval, output as it
 * arrives, and one result at the end. Readers pull events, so a slow reader costs no memory: unread output stays in the spool. `turn` is
 * awaited before each read, so that little output is in memory at once, even with many watchers. Throws whatever `finished` throws.
 */
export async function* eventsOf(
  run: Watched,
  from: Offsets,
  signal: AbortSignal,
  turn: () => Promise<void>,
  { encoding = run.encoding, form = formOf(run) }: EventOptions = {},
): AsyncGenerator<WatchedEvent> {
  run.attend(signal)
  let at = from
  let reported = 0
  let pending: PendingApproval | null = null
  const { id } = run
  const inForm = (event: RunEvent): WatchedEvent => ({ id, at, piece: null, toEvent: () => form.shown(event) })
  const news = function* (untilEnd = false): Generator<WatchedEvent> {
    for (; reported < run.statuses.length; reported++) {
      const status = run.statuses[reported]!
      if (isEnding(status) && !untilEnd) return // pending output comes first
      yield inForm({ type: 'status', id: run.id, status })
    }
    if (run.waitsFor === null || run.waitsFor === pending) return
    pending = run.waitsFor
    yield inForm(toNote(run.id, pending))
  }
  yield* news()
  while (!hasStarted(run) && !signal.aborted) {
    await run.changed()
    yield* news()
  }
  for await (const piece of run.output.follow(from, { signal, text: encoding === 'utf8', turn })) {
    yield* news()
    at = { ...at, [piece.stream]: piece.offset + piece.data.length }
    yield { id: run.id, at, piece, toEvent: () => form.shown(outputEvent(run, piece, encoding)) }
  }
  if (signal.aborted) return
  await turn()
  const next = (await form.next?.(run)) ?? null
  if (next !== null) {
    yield* news(true)
    return yield* eventsOf(next, { stdout: 0, stderr: 0 }, signal, turn, { encoding, form })
  }
  const last = await form.last()
  yield* news(true)
  yield { id: run.id, at, piece: null, toEvent: () => last }
}

const results = new WeakMap<ExecRecord, RunEvent>()

/** Returns one event object for all watchers of a run, so that routes serialize it once. */
function toResult(record: ExecRecord): RunEvent {
  const event: RunEvent = results.get(record) ?? { type: 'result', ...record }
  results.set(record, event)
  return event
}

const hasStarted = ({ status }: Watched) => status === 'running' || isEnding(status)

/** The note for a pending approval. It is sent at once, because otherwise a client would see nothing until the deadline. */
export const waitingNote = ({ id, expires_at }: PendingApproval): Note => note('WAITS_FOR_ANSWER', expires_at, id)

const toNote = (id: string, pending: PendingApproval): RunEvent => ({
  type: 'note',
  id,
  note: waitingNote(pending),
  approval: { id: pending.id, expires_at: pending.expires_at },
})

type OutputEvent = Extract<RunEvent, { type: 'output' }>

let latest: { event: OutputEvent; bytes: number } | null = null

/** Converts a piece of output to an event. Watchers that read in step share one event object, so that routes serialize it once. */
function outputEvent(
  { id }: Watched,
  { stream, offset, data }: OutputPiece,
  encoding: Watched['encoding'],
): OutputEvent {
  const { event, bytes } = latest ?? {}
  const isSame = event?.id === id && event.stream === stream && event.encoding === encoding
  if (isSame && event.offset === offset && bytes === data.length) return event
  const next_offset = offset + data.length
  const made: OutputEvent = { type: 'output', id, stream, offset, next_offset, data: data.toString(encoding), encoding }
  latest = { event: made, bytes: data.length }
  return made
}
