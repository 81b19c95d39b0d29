import { Type } from '@sinclair/typebox'
import { SessionInfo, SessionName } from '../../shared/schema/index.ts'
import type { OwnedSession } from '../sessions/index.ts'
import { errorResponses } from '../../http/index.ts'
import { listedFor, OWN_ONLY, OwnersQuery } from './all-tokens.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'

const Params = Type.Object({ name: SessionName })
const SessionList = Type.Object(
  { sessions: Type.Array(SessionInfo, { description: 'The sessions, by name' }) },
  { description: 'The sessions of this token, or of all tokens; a new token has none' },
)
const NO_SESSION = { 404: 'this token has no session with this name: it is new, deleted, or was unused for 24 hours' }
const tags = ['sessions']

/**
 * GET /sessions, GET and DELETE /sessions/:name: each token sees and deletes only its own sessions, and no values of variables. A token that may read
 * all runs can list the sessions of all tokens.
 */
export async function sessionRoutes(app: App, { executor: { sessions }, tokens }: RouteParts): Promise<void> {
  const listSchema = {
    summary: 'List the sessions of this token, or of all tokens',
    operationId: 'listSessions',
    tags,
    querystring: OwnersQuery,
    response: { 200: SessionList, ...errorResponses(400, 401, OWN_ONLY) },
  }
  app.get('/sessions', { schema: listSchema }, async (request) => {
    const owner = listedFor(request.query, whoOf(request))
    return { sessions: sessions.list(owner?.id ?? null).map(naming(tokens)) }
  })

  const getSchema = {
    summary: 'Get the directory of a session, and the names of its variables',
    operationId: 'getSession',
    tags,
    params: Params,
    response: { 200: SessionInfo, ...errorResponses(400, 401, NO_SESSION) },
  }
  app.get('/sessions/:name', { schema: getSchema }, async (request) =>
    naming(tokens)(sessions.find(whoOf(request).id, request.params.name)),
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

/** Returns a function that adds the name of a session's token. The id of the owner, and of a caller from a fleet, is its name. */
function naming(tokens: RouteParts['tokens']): (session: OwnedSession) => SessionInfo {
  const names = new Map(tokens.list().map(({ id, name }) => [id, name]))
  return ({ tokenId, name, ...session }) => ({ name, token: names.get(tokenId) ?? tokenId, ...session })
}
