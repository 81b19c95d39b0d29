import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkUpgrade } from './upgrades.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** served without a token, or authenticated later, as a WebSocket may be */
    public?: boolean
  }
}

/** Checks every request before its body is read; each check throws the error that the client gets. */
interface RequestChecks {
  /** Host (DNS rebinding), and Origin (other sites' pages) */
  checkSource(request: FastifyRequest, reply: FastifyReply): void
  needsToken(request: FastifyRequest): boolean
  authenticate(request: FastifyRequest): void
  /** the only WebSocket route */
  socketUrl: string
}

export function guardRequests(
  app: FastifyInstance,
  { checkSource, needsToken, authenticate, socketUrl }: RequestChecks,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    checkSource(request, reply)
    if (needsToken(request)) authenticate(request)
    checkUpgrade(request, socketUrl)
    done()
  })
}

/** The scheme's name is case-insensitive (RFC 9110, 11.1). */
const BEARER = /^Bearer +(.+)$/i

/** The token of a request; '' if it has none. */
export const bearerOf = ({ headers }: FastifyRequest): string => BEARER.exec(headers.authorization ?? '')?.[1] ?? ''

/** Whether the request does not come from another site's page: it has no Origin, or its Origin has the server's scheme, host and port. */
export const isOwnOrigin = ({ headers, protocol }: FastifyRequest): boolean =>
  headers.origin === undefined || headers.origin === `${protocol}://${headers.host}`
