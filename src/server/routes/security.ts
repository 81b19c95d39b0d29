import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessLog, Tokens } from '../access/index.ts'
import type { Settings } from '../config/index.ts'
import { ShellphoneError, shown, toPlainAddress, type Who } from '../../shared/schema/index.ts'
import { PROOF_HEADER } from '../../shared/transport/index.ts'
import {
  bearerOf,
  checkHost,
  createThrottle,
  guardRequests,
  isOwnOrigin,
  type Throttle,
  toOwner,
  unauthorized,
} from '../../http/index.ts'
import type { Clients } from './clients.ts'

export type SecuritySettings = Pick<
  Settings,
  'allowed_origins' | 'allowed_hosts' | 'max_failed_logins_per_minute' | 'max_connections'
>

export interface Security {
  /**
   * Checks this token, or the one in the header, and sets `request.who` to its holder. Throws UNAUTHORIZED, or RATE_LIMITED after too many wrong
   * tokens from the request's address.
   */
  authenticate(request: FastifyRequest, token?: string): void
  /** Counts a wrong token, nonce or code, and throws this error (default: UNAUTHORIZED), or RATE_LIMITED. `what`: how the access log calls it. */
  refuse(request: FastifyRequest, error?: ShellphoneError, what?: Parameters<AccessLog['noteFailure']>[0]): never
}

declare module 'fastify' {
  interface FastifyRequest {
    /** the holder of the token that was shown; null: no token yet, which GET /health, GET /ws, a button's nonce and a pairing code allow */
    who: Who | null
  }
}

/** The only WebSocket route. */
export const SOCKET_URL = '/ws'

const MAX_UNAUTHENTICATED_BODY_BYTES = 4_096
/** The options of a route that accepts a body without a token, such as a pairing code. */
export const forUnauthenticated = { config: { public: true }, bodyLimit: MAX_UNAUTHENTICATED_BODY_BYTES }

/** Checks every request before its body is read: Host (DNS rebinding), Origin, then the token. Wrong tokens are throttled per address. */
export function installSecurity(
  app: FastifyInstance,
  tokens: Tokens,
  settings: SecuritySettings,
  clients: Clients,
  accessLog: AccessLog,
): Security {
  const security = createSecurity(
    tokens,
    createThrottle(settings.max_failed_logins_per_minute, () => performance.now()),
    clients,
    accessLog,
  )
  app.decorateRequest('who', null)
  tokens.onEnd(clients.closeThoseOf)
  guardRequests(app, {
    checkSource(request, reply) {
      checkHost(request.headers.host, settings.allowed_hosts)
      checkOrigin(request, settings.allowed_origins, reply)
    },
    needsToken,
    authenticate: (request) => security.authenticate(request),
    socketUrl: SOCKET_URL,
  })
  return security
}

/** At 4 bits per character, this is 128 bits, which nobody can guess at any rate. Generated tokens have more. */
const STRONG_TOKEN_CHARACTERS = 32

/**
 * Only wrong tokens are throttled: every app on a phone connects from loopback, and none may lock the owner out. A short token could be
 * guessed, so it is throttled with its address, except on a connection that has shown a valid token and no wrong one since.
 */
function createSecurity(tokens: Tokens, throttle: Throttle, clients: Clients, accessLog: AccessLog): Security {
  const checkPace = ({ raw, ip }: FastifyRequest) => {
    if (!clients.isAuthenticated(raw.socket)) throttle.check(toOwner(ip))
  }
  const refuse: Security['refuse'] = (request, error = unauthorized(), what) => {
    checkPace(request)
    throttle.note(toOwner(request.ip))
    if (what) accessLog.noteFailure(what, addressOf(request))
    clients.markUnauthenticated(request.raw.socket)
    throw error
  }
  return {
    refuse,
    authenticate(request, token = bearerOf(request)) {
      if (token.length < STRONG_TOKEN_CHARACTERS) checkPace(request)
      request.who =
        tokens.find(token, request.ip) ?? refuse(request, unauthorized(), token === '' ? undefined : 'wrong_token')
      const proof = request.headers[PROOF_HEADER]
      if (typeof proof === 'string') tokens.find(proof, request.ip)
      clients.markAuthenticated(request.raw.socket, request.who.name)
    },
  }
}

/** The holder of the request's token. Throws UNAUTHORIZED if a public route needs one and no token was shown. */
export function whoOf({ who }: FastifyRequest): Who {
  if (who) return who
  throw unauthorized()
}

/** The address of the client. */
export const addressOf = ({ ip }: FastifyRequest): string => toPlainAddress(ip)

/** Throws FORBIDDEN unless the token is a person's: the owner's, or one with `approves: all`. */
export function mustBePerson({ approves }: Who): void {
  if (approves === 'all') return
  throw new ShellphoneError('FORBIDDEN', "Only a person may do this: use the owner's token, or one with approves: all")
}

/**
 * Accepts requests without Origin, with a listed Origin, or with the service's own. @fastify/cors would run a request from any origin: it leaves
 * the refusal to the browser.
 */
function checkOrigin(request: FastifyRequest, allowedOrigins: string[], reply: FastifyReply): void {
  if (isOwnOrigin(request)) return
  const origin = request.headers.origin!
  if (!allowedOrigins.includes(origin)) {
    throw new ShellphoneError(
      'FORBIDDEN_ORIGIN',
      `Origin: expected one listed in allowed_origins, got ${shown(origin)}`,
    )
  }
  reply.headers({ 'access-control-allow-origin': origin, vary: 'Origin' })
}

/**
 * A public route needs no token, but checks one that is shown. A browser's preflight request has no token; its Origin has been checked by
 * then.
 */
function needsToken({ method, routeOptions, headers }: FastifyRequest): boolean {
  if (routeOptions.config.public === true) return headers.authorization !== undefined
  return method !== 'OPTIONS' || headers.origin === undefined || headers['access-control-request-method'] === undefined
}
