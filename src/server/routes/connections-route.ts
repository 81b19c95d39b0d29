import { Type } from '@sinclair/typebox'
import { Timestamp, toIso } from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import { PEOPLE_ONLY } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { mustBePerson, whoOf } from './security.ts'

const Connection = Type.Object(
  {
    token: Type.String({ description: 'The name of the token, or owner' }),
    address: Type.String({ description: 'The address of the client' }),
    kind: Type.Union([Type.Literal('http'), Type.Literal('websocket')], { description: 'What it is used for' }),
    opened_at: Timestamp('When it was opened'),
  },
  { $id: 'Connection', description: 'An open connection of a client' },
)

/** GET /connections: which clients are connected now. */
export async function connectionsRoute(app: App, { clients }: RouteParts): Promise<void> {
  const schema = {
    summary: 'List open connections that have authenticated with a token',
    operationId: 'listConnections',
    tags: ['access'],
    response: {
      200: Type.Object(
        { connections: Type.Array(Connection, { description: 'All of them' }) },
        { description: 'The connections that are open now, that of this request among them' },
      ),
      ...errorResponses(401, PEOPLE_ONLY),
    },
  }
  app.get('/connections', { schema }, async (request) => {
    mustBePerson(whoOf(request))
    const connections = clients.authenticated().map(({ token, address, isWebSocket, openedAtMs }) => ({
      token,
      address,
      kind: isWebSocket ? ('websocket' as const) : ('http' as const),
      opened_at: toIso(openedAtMs),
    }))
    return { connections }
  })
}
