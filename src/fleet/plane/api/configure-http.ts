import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bearerOf, bodiesAsBytes, errorReplies, guardRequests, unauthorized } from '../../../http/index.ts'
import type { Gate } from './gate.ts'
import type { PlaneUser, Roles } from '../keys/roles.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** on a control plane: the user of the request's token; null: the route needs no token */
    caller: PlaneUser | null
  }
}

/** The URL of the only WebSocket route. */
export const SOCKET_URL = '/phones/:name/ws'

/** Sets up bodies as bytes (so that those for a phone stay unchanged), error responses, and the check of each request's token. */
export function configureHttp(app: FastifyInstance, roles: Roles, gate: Gate): void {
  bodiesAsBytes(app)
  errorReplies(app, {
    tooLarge: () => 'body: larger than one message of the fleet; send it in parts',
    routesHint:
      '; this is the control plane of a fleet: /phones lists its phones, and /phones/NAME/docs the routes of one',
    settle(_error, { raw }, reply) {
      if (!raw.complete) reply.header('connection', 'close')
    },
  })
  app.decorateRequest('caller', null)
  guardRequests(app, {
    checkSource: gate.checkSource,
    needsToken: ({ routeOptions }) => routeOptions.config.public !== true,
    authenticate(request) {
      request.caller = roles.find(bearerOf(request))
      if (request.caller === null) throw gate.counted(request, unauthorized())
    },
    socketUrl: SOCKET_URL,
  })
}

/** The user of the request's token. Throws UNAUTHORIZED for a request without a token. */
export function callerOf({ caller }: FastifyRequest): PlaneUser {
  if (caller) return caller
  throw unauthorized()
}
