import { Type } from '@sinclair/typebox'
import { AccessEvent, MAX_ACCESS_EVENTS } from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import { PEOPLE_ONLY } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { mustBePerson, whoOf } from './security.ts'

const DEFAULT_EVENTS = 100
const Query = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_ACCESS_EVENTS,
        description: `At most this many (default: ${DEFAULT_EVENTS})`,
      }),
    ),
  },
  { additionalProperties: false },
)

/** GET /access-log: who paired, who lost access, and who answered approval requests. */
export async function accessLogRoute(app: App, { accessLog }: RouteParts): Promise<void> {
  const schema = {
    summary: `List who paired, lost access or answered approvals, newest first; the last ${MAX_ACCESS_EVENTS} events are stored`,
    operationId: 'listAccessEvents',
    tags: ['access'],
    querystring: Query,
    response: {
      200: Type.Object(
        { events: Type.Array(AccessEvent, { description: 'The events, newest first' }) },
        { description: 'The newest events of the access log' },
      ),
      ...errorResponses(400, 401, PEOPLE_ONLY),
    },
  }
  app.get('/access-log', { schema }, async (request) => {
    mustBePerson(whoOf(request))
    return { events: accessLog.list(request.query.limit ?? DEFAULT_EVENTS) }
  })
}
