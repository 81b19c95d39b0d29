import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkUpgrade } from './upgrades.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** served to whoever asks, or judged later, as a WebSocket may be */
    public?: boolean
  }
}

/** What is asked of every request before its body is read; each throws what its client is told. */
interface Guard {
  /** Host (DNS rebinding), and Origin (other sites' pages) */
  checkSource(request: FastifyRequest, reply: FastifyReply): void
  needsToken(request: FastifyRequest): boolean
  /** the token, and whose it is */
  judge(request: FastifyRequest): void
  /** the one route that is a WebSocket */
  socketUrl: string
}

export function guardRequests(app: FastifyInstance, { checkSource, needsToken, judge, socketUrl }: Guard): void {
  app.addHook('onRequest', (request, reply, done) => {
    checkSource(request, reply)
    if (needsToken(request)) judge(request)
    checkUpgrade(request, socketUrl)
    done()
  })
}

/** The scheme's name is case-insensitive (RFC 9110, 11.1). */
const BEARER = /^Bearer +(.+)$/i

/** The token that a request shows; '': none. */
export const bearerOf = ({ headers }: FastifyRequest): string => BEARER.exec(headers.authorization ?? '')?.[1] ?? ''

/** No page of another site: there is no Origin, or it is the server's own address, as its page has it: scheme, host and port equal Host. */
export const isOwnOrigin = ({ headers, protocol }: FastifyRequest): boolean =>
  headers.origin === undefined || headers.origin === `${protocol}://${headers.host}`
