import { setImmediate as nextTurn } from 'node:timers/promises'
import { runIdMs, type RunSummary, ShellphoneError, toIso, type WakeType } from '../../shared/schema/index.ts'
import type { HistoryParts } from './history-index.ts'
import { type ApprovalStep, type LineHead, parseApproval, parseEndRecord, scanLines } from './history-line.ts'
import type { LineAddress, Segments } from './segments.ts'

/** An event of a run. `position`: that of its line in the history; null: the line is not on disk. */
export interface StoredRunEvent extends Pick<
  RunSummary,
  'token' | 'token_id' | 'started_at' | 'ended_at' | 'status' | 'exit_code'
> {
  type: WakeType
  run_id: string
  /** the name of the session, which each token has for itself; undefined: none */
  session?: string | undefined
  /** when it happened, in ISO 8601 */
  at: string
  position: LineAddress | null
}

/** The events of all runs, in the order of their lines in the history. */
export interface RunEvents {
  /** Calls back with each event from now on, after the reply to its caller. Returns a function that unsubscribes. */
  subscribe(listener: (event: StoredRunEvent) => void): () => void
  /** The end of the history: only later events have greater positions. Null: history is only in memory. */
  newest(): LineAddress | null
  /** Yields the events after a position. Throws EXPIRED if some of them may be gone. */
  after(position: LineAddress): AsyncIterable<StoredRunEvent>
}

/** Whether `a` is later in the history than `b`. */
export const isLater = (a: LineAddress, b: LineAddress): boolean =>
  a.segment > b.segment || (a.segment === b.segment && a.offset > b.offset)

export class HistoryEvents implements RunEvents {
  readonly #listeners = new Set<(event: StoredRunEvent) => void>()

  constructor(private readonly parts: HistoryParts) {}

  subscribe(listener: (event: StoredRunEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The listeners run in a later turn, when the caller of the run has its reply. */
  emit(event: StoredRunEvent): void {
    if (this.#listeners.size > 0) setImmediate(() => this.#listeners.forEach((listener) => listener(event)))
  }

  newest(): LineAddress | null {
    const segments = this.parts.disk?.segments
    const segment = segments?.numbers.at(-1)
    return segments === undefined || segment === undefined ? null : { segment, offset: segments.bytes(segment) }
  }

  after(position: LineAddress): AsyncIterable<StoredRunEvent> {
    const segments = this.parts.disk?.segments
    if (segments && isKnown(position, segments)) return eventsAfter(position, segments)
    throw expired()
  }
}

const expired = () =>
  new ShellphoneError('EXPIRED', 'The history does not have all events since then: list the runs with GET /runs')

async function* eventsAfter(position: LineAddress, segments: Segments): AsyncGenerator<StoredRunEvent> {
  for (const segment of segments.numbers.filter((number) => number >= position.segment)) {
    await nextTurn()
    if (!segments.numbers.includes(segment)) throw expired()
    yield* eventsIn(segments.read(segment, 'jsonl'), segment, position)
  }
}

/** Whether the history has all lines after this position. */
function isKnown({ segment, offset }: LineAddress, segments: Segments): boolean {
  return segments.numbers.includes(segment) && offset <= segments.bytes(segment)
}

function* eventsIn(file: Buffer, segment: number, from: LineAddress): Generator<StoredRunEvent> {
  for (const { kind, offset, length } of scanLines(file)) {
    const position = { segment, offset }
    if ((kind !== 'e' && kind !== 'a') || !isLater(position, from)) continue
    const event = toEvent(kind, file.subarray(offset, offset + length), position)
    if (event) yield event
  }
}

function toEvent(kind: LineHead['kind'], line: Buffer, position: LineAddress): StoredRunEvent | null {
  if (kind === 'a') {
    const step = parseApproval(line)
    return step && toApprovalEvent(step, position)
  }
  const record = parseEndRecord(line)
  return record && toEndEvent(record, position)
}

export const toApprovalEvent = (
  { a: run_id, answered, token, token_id, session, at }: ApprovalStep,
  position: LineAddress | null,
): StoredRunEvent => ({
  type: answered ? 'run.answered' : 'run.asked',
  run_id,
  token,
  token_id,
  session,
  ...{ started_at: null, ended_at: null, status: 'queued', exit_code: -1 },
  at,
  position,
})

export const toEndEvent = (
  { id: run_id, token, token_id, session, started_at, ended_at, status, exit_code }: RunSummary,
  position: LineAddress | null,
): StoredRunEvent => ({
  type: 'run.ended',
  run_id,
  token,
  token_id,
  session: session?.name,
  started_at,
  ended_at,
  status,
  exit_code,
  at: ended_at ?? toIso(runIdMs(run_id)),
  position,
})
