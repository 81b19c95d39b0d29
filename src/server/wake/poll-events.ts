import { isLater, type RunEvents } from '../exec/index.ts'
import { ShellphoneError, type WakeType, type Who } from '../../shared/schema/index.ts'
import { toEventId, toPosition, toWakeEvent } from './event-feed.ts'
import { type McpEvent, toMcpEvent } from './mcp-event.ts'
import { isWanted } from './queue-events.ts'

/** What a poll asks for. `cursor` null: nothing but a cursor for the next poll. `sinceMs`: no older events. */
interface Poll {
  name: WakeType
  session: string | undefined
  cursor: string | null
  sinceMs: number
  max: number
}

/** `truncated`: events after the cursor are missing. `hasMore`: there are further ones already. */
interface Polled {
  events: McpEvent[]
  cursor: string | null
  truncated: boolean
  hasMore: boolean
}

/** Reads the events after a cursor from the history. Throws VALIDATION_ERROR if the cursor is not one of ours. */
export async function pollEvents(
  events: RunEvents,
  { name, session, cursor, sinceMs, max }: Poll,
  who: Who,
): Promise<Polled> {
  const from = cursor === null ? null : toPosition(cursor)
  const end = events.newest()
  const polled: Polled = { events: [], cursor: toEventId(end), truncated: false, hasMore: false }
  if (from === null || end === null || cursor === polled.cursor) return polled
  let last = from
  try {
    for await (const event of events.after(from)) {
      const { position } = event
      if (!isWanted(event, { types: [name], session }, who)) continue
      if (polled.events.length === max) return { ...polled, cursor: toEventId(last), hasMore: true }
      if (Date.parse(event.at) < sinceMs) polled.truncated = true
      else polled.events.push(toMcpEvent(toWakeEvent(event)))
      last = position ?? last
    }
    return { ...polled, cursor: toEventId(isLater(last, end) ? last : end) }
  } catch (error) {
    if (!(error instanceof ShellphoneError && error.code === 'EXPIRED')) throw error
    return { events: [], cursor: toEventId(events.newest()), truncated: true, hasMore: false }
  }
}
