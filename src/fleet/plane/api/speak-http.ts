import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bearerOf, bodiesAsBytes, errorReplies, guardRequests, unauthorized } from '../../../http/index.ts'
import type { Gate } from './gate.ts'
import type { PlaneUser, Roles } from '../keys/roles.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** of a plane: whose token was shown; null: none was asked for */
    caller: PlaneUser | null
  }
}

/** The one route that is a WebSocket. */
export const SOCKET_URL = '/phones/:name/ws'

/** Bodies as bytes (a phone's own are passed on as they are), and who asks. */
export function speakHttp(app: FastifyInstance, roles: Roles, gate: Gate): void {
  bodiesAsBytes(app)
  errorReplies(app, {
    tooLarge: 'body: too large for one message of a fleet; send it in parts',
    settle(_error, { raw }, reply) {
      if (!raw.complete) reply.header('connection', 'close')
    },
  })
  app.decorateRequest('caller', null)
  guardRequests(app, {
    checkSource: gate.checkSource,
    needsToken: ({ routeOptions }) => routeOptions.config.public !== true,
    judge(request) {
      request.caller = roles.find(bearerOf(request))
      if (request.caller === null) throw gate.counted(request, unauthorized())
    },
    socketUrl: SOCKET_URL,
  })
}

/** Whose call it is; on routes that are not open there always is one. */
export function callerOf({ caller }: FastifyRequest): PlaneUser {
  if (caller) return caller
  throw unauthorized()
}
