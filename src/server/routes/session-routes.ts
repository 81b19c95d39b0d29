import { Type } from '@sinclair/typebox'
import { SessionInfo, SessionName } from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'

const Params = Type.Object({ name: SessionName })
const SessionList = Type.Object(
  { sessions: Type.Array(SessionInfo, { description: 'The sessions of this token, by name' }) },
  { description: 'The sessions of this token; a new token has none' },
)
const NO_SESSION = { 404: 'this token has no session with this name: it is new, deleted, or was unused for 24 hours' }
const tags = ['sessions']

/** GET /sessions, GET and DELETE /sessions/:name: each token sees only its own sessions, and no values of variables. */
export async function sessionRoutes(app: App, { executor: { sessions } }: RouteParts): Promise<void> {
  const listSchema = {
    summary: 'List the sessions of this token',
    operationId: 'listSessions',
    tags,
    response: { 200: SessionList, ...errorResponses(401) },
  }
  app.get('/sessions', { schema: listSchema }, async (request) => ({ sessions: sessions.list(whoOf(request).id) }))

  const getSchema = {
    summary: 'Get the directory of a session, and the names of its variables',
    operationId: 'getSession',
    tags,
    params: Params,
    response: { 200: SessionInfo, ...errorResponses(400, 401, NO_SESSION) },
  }
  app.get('/sessions/:name', { schema: getSchema }, async (request) =>
    sessions.find(whoOf(request).id, request.params.name),
  )

  const deleteSchema = {
    summary: 'Delete a session; a command that is running in it continues, and its state is not kept',
    operationId: 'deleteSession',
    tags,
    params: Params,
    response: { 204: { type: 'null', description: 'The session is deleted' }, ...errorResponses(400, 401, NO_SESSION) },
  }
  app.delete('/sessions/:name', { schema: deleteSchema }, async (request, reply) => {
    sessions.remove(whoOf(request).id, request.params.name)
    return reply.code(204).send()
  })
}
