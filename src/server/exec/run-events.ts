import {
  type ExecRecord,
  isEnding,
  note,
  type Note,
  type PendingApproval,
  type RunEvent,
} from '../../shared/schema/index.ts'
import type { Offsets, OutputPiece } from '../store/index.ts'
import type { Watched } from './run.ts'

/**
 * An event, or a piece of raw output, which `outputEvent` converts to an event if the watcher needs text. `at`: the byte offsets from
 * which a watcher resumes after this event.
 */
type WatchedEvent = { at: Offsets } & ({ event: RunEvent; piece: null } | { event: null; piece: OutputPiece })

/**
 * Yields the events of a run from any pair of byte offsets: each status once, a note when the run waits for approval, output as it
 * arrives, and one result at the end. Readers pull events, so a slow reader costs no memory: unread output stays in the spool. `turn` is
 * awaited before each read, so that little output is in memory at once, even with many watchers. `encoding`: the encoding of the output,
 * by default that of the run's request. Throws whatever `finished` throws.
 */
export async function* eventsOf(
  run: Watched,
  from: Offsets,
  signal: AbortSignal,
  turn: () => Promise<void>,
  encoding = run.encoding,
): AsyncGenerator<WatchedEvent> {
  run.attend(signal)
  let at = from
  let reported = 0
  let pending: PendingApproval | null = null
  const news = function* (untilEnd = false): Generator<WatchedEvent> {
    for (; reported < run.statuses.length; reported++) {
      const status = run.statuses[reported]!
      if (isEnding(status) && !untilEnd) return // pending output comes first
      yield { event: { type: 'status', id: run.id, status }, piece: null, at }
    }
    if (run.waitsFor === null || run.waitsFor === pending) return
    pending = run.waitsFor
    yield { event: toNote(run.id, pending), piece: null, at }
  }
  yield* news()
  while (!hasStarted(run) && !signal.aborted) {
    await run.changed()
    yield* news()
  }
  for await (const piece of run.output.follow(from, { signal, text: encoding === 'utf8', turn })) {
    yield* news()
    at = { ...at, [piece.stream]: piece.offset + piece.data.length }
    yield { event: null, piece, at }
  }
  if (signal.aborted) return
  await turn()
  const record = await run.finished
  yield* news(true)
  yield { event: toResult(record), piece: null, at }
}

/** Yields a note for each approval that a run waits for, until the run starts. For clients that get their result in another format. */
export async function* notesOf(run: Watched): AsyncGenerator<RunEvent> {
  for (let pending: PendingApproval | null = null; !hasStarted(run); await run.changed()) {
    if (run.waitsFor === null || run.waitsFor === pending) continue
    pending = run.waitsFor
    yield toNote(run.id, pending)
  }
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
export function outputEvent(
  { id, encoding: own }: Watched,
  { stream, offset, data }: OutputPiece,
  encoding = own,
): RunEvent {
  const { event, bytes } = latest ?? {}
  const isSame = event?.id === id && event.stream === stream && event.encoding === encoding
  if (isSame && event.offset === offset && bytes === data.length) return event
  const next_offset = offset + data.length
  const made: OutputEvent = { type: 'output', id, stream, offset, next_offset, data: data.toString(encoding), encoding }
  latest = { event: made, bytes: data.length }
  return made
}
