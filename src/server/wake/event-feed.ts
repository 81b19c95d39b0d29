import { isLater, type RunEvents, type StoredRunEvent } from '../exec/index.ts'
import { ChangeNotifier } from '../../shared/async/index.ts'
import { invalid, shown, type WakeEvent, type WakeType, wakeTypes } from '../../shared/schema/index.ts'

/** A reader that is this many events behind is disconnected; it resumes from its last event. */
const MAX_BEHIND = 1000

type Position = NonNullable<StoredRunEvent['position']>

/** An event, and the id to resume from after it; null: the history is not on disk. */
interface FeedEvent {
  id: string | null
  event: WakeEvent
}

/** Converts an event to the form that clients receive. */
export const toWakeEvent = ({ type, at, run_id, status, exit_code }: StoredRunEvent): WakeEvent => ({
  type,
  timestamp: at,
  data: { run_id, status, exit_code: exit_code === -1 ? null : exit_code },
})

/** The text of a position in the history, which is the id of the event there. */
export const toEventId = (position: Position | null): string | null =>
  position === null ? null : `${position.segment}.${position.offset}`

/** Parses the id of an event. Throws VALIDATION_ERROR. */
export function toPosition(id: string): Position {
  const [, segment, offset] = /^(\d{1,8})\.(\d{1,15})$/.exec(id) ?? []
  if (segment !== undefined) return { segment: Number(segment), offset: Number(offset) }
  throw invalid(`Last-Event-ID: expected the id of an event, SEGMENT.OFFSET, got ${shown(id)}`, 'Last-Event-ID')
}

/** Parses a list of types, separated by commas; undefined: all. Throws VALIDATION_ERROR. */
export function toTypes(text: string | undefined): ReadonlySet<WakeType> {
  const names = text === undefined ? wakeTypes : text.split(',')
  for (const name of names) {
    if (!wakeTypes.some((type) => type === name)) {
      throw invalid(`types: expected ${wakeTypes.join(', ')}, separated by commas, got ${shown(name)}`, 'types')
    }
  }
  return new Set(names as WakeType[])
}

/**
 * Follows the events of these types from now on, or after a position, until `gone` aborts or the reader falls behind. `start`: the id to
 * resume from before the first event. Throws EXPIRED if the history does not have all events after the position.
 */
export function followEvents(
  events: RunEvents,
  { from, types }: { from: Position | null; types: ReadonlySet<WakeType> },
  gone: AbortSignal,
): { start: string | null; feed: AsyncGenerator<FeedEvent> } {
  const past = from && events.after(from)
  const waiting: StoredRunEvent[] = []
  const changes = new ChangeNotifier()
  const stop = events.subscribe((event) => {
    if (types.has(event.type)) waiting.push(event)
    changes.wake()
  })
  const wake = () => changes.wake()
  gone.addEventListener('abort', wake)
  async function* feed(): AsyncGenerator<FeedEvent> {
    let last: Position | null = null
    try {
      for await (const event of past ?? []) {
        if (gone.aborted) return
        last = event.position
        if (types.has(event.type)) yield inFeed(event)
      }
      while (!gone.aborted && waiting.length <= MAX_BEHIND) {
        const event = waiting.shift()
        if (event === undefined) await changes.changed()
        else if (last === null || event.position === null || isLater(event.position, last)) yield inFeed(event)
      }
    } finally {
      stop()
      gone.removeEventListener('abort', wake)
    }
  }
  return { start: toEventId(from ?? events.newest()), feed: feed() }
}

const inFeed = (event: StoredRunEvent): FeedEvent => ({ id: toEventId(event.position), event: toWakeEvent(event) })
