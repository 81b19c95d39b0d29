import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tokens } from '../access/index.ts'
import type { Settings } from '../config/index.ts'
import { ShellphoneError, type Who } from '../../shared/schema/index.ts'
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
   * Whose token this is, or that in the header: `request.who` from now on. Throws UNAUTHORIZED, or RATE_LIMITED after too many wrong
   * ones from the request's address.
   */
  judge(request: FastifyRequest, token?: string): void
  /** Counts a wrong token, nonce or code, and throws UNAUTHORIZED, or RATE_LIMITED. */
  refuse(request: FastifyRequest): never
}

declare module 'fastify' {
  interface FastifyRequest {
    /** whose token was shown; null: none yet, as GET /health, GET /ws, a button's nonce and a pairing code may come */
    who: Who | null
  }
}

/** The one route that is a WebSocket. */
export const SOCKET_URL = '/ws'

/** Of a route that takes a body from whoever sends one: a code, a name. */
export const forUnauthenticated = { config: { public: true }, bodyLimit: 4_096 }

/** Who may call, judged before a body is read: Host (DNS rebinding), Origin, then the token. Wrong tokens are throttled per address. */
export function security(app: FastifyInstance, tokens: Tokens, settings: SecuritySettings, clients: Clients): Security {
  const guard = createGuard(
    tokens,
    createThrottle(settings.max_failed_logins_per_minute, () => performance.now()),
    clients,
  )
  app.decorateRequest('who', null)
  tokens.onEnd(clients.cutThoseOf)
  guardRequests(app, {
    checkSource(request, reply) {
      checkHost(request.headers.host, settings.allowed_hosts)
      checkOrigin(request, settings.allowed_origins, reply)
    },
    needsToken,
    judge: (request) => guard.judge(request),
    socketUrl: SOCKET_URL,
  })
  return guard
}

/** At 4 bits a character 128 bits: no rate of guessing finds a token of so many. Generated ones have more. */
const STRONG_TOKEN_CHARACTERS = 32

/**
 * Only wrong tokens are throttled: every app of a phone comes from loopback, and none may shut the owner out. A short token could be
 * guessed, so it has to wait with its address, but not on a connection that has shown a token and no wrong one since.
 */
function createGuard(tokens: Tokens, throttle: Throttle, clients: Clients): Security {
  const checkPace = ({ raw, ip }: FastifyRequest) => {
    if (!clients.isKnown(raw.socket)) throttle.check(toOwner(ip))
  }
  const refuse = (request: FastifyRequest): never => {
    checkPace(request)
    throttle.note(toOwner(request.ip))
    clients.doubt(request.raw.socket)
    throw unauthorized()
  }
  return {
    refuse,
    judge(request, token = bearerOf(request)) {
      if (token.length < STRONG_TOKEN_CHARACTERS) checkPace(request)
      request.who = tokens.find(token, request.ip) ?? refuse(request)
      const proof = request.headers[PROOF_HEADER]
      if (typeof proof === 'string') tokens.find(proof, request.ip)
      clients.welcome(request.raw.socket, request.who.name)
    },
  }
}

/** Whose call it is; throws UNAUTHORIZED where a public route wants to know and no token was shown. */
export function whoOf({ who }: FastifyRequest): Who {
  if (who) return who
  throw unauthorized()
}

/** Tokens are made, and others' questions answered, by people: the owner, and whoever approves for them. Throws FORBIDDEN. */
export function mustBePerson({ approves }: Who): void {
  if (approves === 'all') return
  throw new ShellphoneError('FORBIDDEN', "Only a person may do this: use the owner's token, or one with approves: all")
}

/**
 * None, a listed one, or the service's own. Under @fastify/cors a request of any other origin would still run: it leaves the refusal to
 * the browser.
 */
function checkOrigin(request: FastifyRequest, allowedOrigins: string[], reply: FastifyReply): void {
  if (isOwnOrigin(request)) return
  const origin = request.headers.origin!
  if (!allowedOrigins.includes(origin)) {
    throw new ShellphoneError('FORBIDDEN_ORIGIN', 'Origin: not listed in allowed_origins')
  }
  reply.headers({ 'access-control-allow-origin': origin, vary: 'Origin' })
}

/**
 * Not where a route is public and no token shown that could be wrong; and a browser asks leave without a token before it sends one: its
 * Origin has been checked by then.
 */
function needsToken({ method, routeOptions, headers }: FastifyRequest): boolean {
  if (routeOptions.config.public === true) return headers.authorization !== undefined
  return method !== 'OPTIONS' || headers.origin === undefined || headers['access-control-request-method'] === undefined
}
