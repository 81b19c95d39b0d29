import { Type } from '@sinclair/typebox'
import { seenBy } from '../exec/index.ts'
import { mayTake, sharerOf, ShellphoneError, WakeEvent, type Who } from '../../shared/schema/index.ts'
import { disconnectSignal, errorResponses, eventHeaders, eventText, keepAlive } from '../../http/index.ts'
import { followEvents, toPosition, toTypes } from '../wake/index.ts'
import { drained, startCounted } from './bytes.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'

/** Maximum number of open streams. A token leaves as many free as it uses. */
const MAX_STREAMS = 64

const Query = Type.Object(
  {
    types: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Only these types, separated by commas: run.asked, run.answered, run.ended (default: all)',
      }),
    ),
  },
  { additionalProperties: false },
)
const Headers = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ maxLength: 64, description: 'The id of the last event received: the stream continues after it' }),
  ),
})

/** GET /events: the events of the runs that the token can read. */
export async function wakeEventsRoute(app: App, { executor, unsent }: RouteParts): Promise<void> {
  const slots = createSlots()
  const schema = {
    summary: 'Follow the approval requests and the ends of all runs as SSE, from now on or from Last-Event-ID',
    operationId: 'getRunEvents',
    tags: ['runs'],
    querystring: Query,
    headers: Headers,
    response: {
      200: {
        description: 'The events of the runs that the token can read, one block each',
        content: { 'text/event-stream': { schema: { type: 'string', 'x-event': WakeEvent } } },
      },
      ...errorResponses(400, 401, {
        410: 'the history does not have all events since Last-Event-ID; list the runs instead',
        503: 'pool_full: too many event streams are open',
      }),
    },
  }
  app.get('/events', { schema }, async (request, reply) => {
    const who = whoOf(request)
    const lastId = request.headers['last-event-id']
    const wanted = { from: lastId === undefined ? null : toPosition(lastId), types: toTypes(request.query.types) }
    const gone = disconnectSignal(reply)
    slots.checkRoom(who)
    const { start, feed } = followEvents(seenBy(executor, who).events, wanted, gone)
    const leave = slots.take(who)
    const raw = startCounted(reply, 200, eventHeaders, unsent)
    keepAlive(raw)
    try {
      if (start !== null) raw.write(`id: ${start}\n\n`)
      for await (const { id, event } of feed) {
        if (!raw.write(eventText(event.type, event, id))) await drained(raw, gone, unsent)
      }
      raw.end()
    } catch {
      raw.destroy() // the history cannot be read; the client resumes from its last event
    } finally {
      leave()
    }
    return reply
  })
}

/** Counts the open streams of each token. */
function createSlots() {
  const holders = new Map<symbol, string>()
  return {
    /** Throws POOL_FULL. */
    checkRoom(who: Who) {
      const own = [...holders.values()].filter((id) => id === who.id).length
      if (mayTake(sharerOf(who), { own, taken: holders.size, most: MAX_STREAMS })) return
      throw new ShellphoneError('POOL_FULL', `${holders.size} event streams are open, ${own} of them this token's`, {
        retryAfterSeconds: 5,
      })
    },
    take({ id }: Who): () => void {
      const slot = Symbol('stream')
      holders.set(slot, id)
      return () => void holders.delete(slot)
    },
  }
}
