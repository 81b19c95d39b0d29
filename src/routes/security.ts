import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Settings } from '../config/index.ts'
import { ShellphoneError } from '../schema/index.ts'
import { toOwner } from './addresses.ts'
import type { Clients } from './clients.ts'
import { unauthorized } from './error-replies.ts'
import { createThrottle, type Throttle } from './throttle.ts'

export type SecuritySettings = Pick<
  Settings,
  'allowed_origins' | 'allowed_hosts' | 'max_failed_logins_per_minute' | 'max_connections'
>

export interface Security {
  /** Who shows this is the owner, or it throws: UNAUTHORIZED, or RATE_LIMITED after too many wrong ones, whatever is shown. */
  judge(request: FastifyRequest, token: string): void
  /** the same for what the request's header shows */
  judgeHeader(request: FastifyRequest): void
  /** Counts a wrong token, or what is as good as one, and throws. */
  refuse(request: FastifyRequest): never
  /** Throws RATE_LIMITED after too many wrong tokens from the request's address. */
  checkPace(request: FastifyRequest): void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** the request showed the token; only GET /health, GET /ws and a button's nonce are served without */
    authorized: boolean
  }
  interface FastifyContextConfig {
    /** served to whoever asks (GET /health), or judged later (GET /ws, POST /approvals/press) */
    public?: boolean
  }
}

/** Who may call, judged before a body is read: Host (DNS rebinding), Origin, then the token. Wrong tokens are throttled per address. */
export function security(app: FastifyInstance, token: string, settings: SecuritySettings, clients: Clients): Security {
  const guard = createGuard(tokenCheck(token), createThrottle(settings.max_failed_logins_per_minute), clients)
  app.decorateRequest('authorized', false)
  app.addHook('onRequest', (request, reply, done) => {
    checkHost(request.headers.host, settings.allowed_hosts)
    checkOrigin(request.headers, settings.allowed_origins)
    if (request.headers.origin) reply.headers({ 'access-control-allow-origin': request.headers.origin, vary: 'Origin' })
    if (!isOpen(request) && !isPreflight(request)) guard.judgeHeader(request)
    done()
  })
  return guard
}

/** A connection that has shown the token is not throttled: a guesser at the same address cannot shut its owner out of it. */
function createGuard(isToken: (text: string) => boolean, throttle: Throttle, clients: Clients): Security {
  const checkPace = ({ raw, ip }: FastifyRequest) => {
    const retryAfterSeconds = throttle.waitSeconds(toOwner(ip))
    if (retryAfterSeconds === 0 || clients.isKnown(raw.socket)) return
    throw new ShellphoneError('RATE_LIMITED', 'Too many wrong tokens from this address', { retryAfterSeconds })
  }
  const refuse = (request: FastifyRequest): never => {
    checkPace(request)
    throttle.note(toOwner(request.ip))
    throw unauthorized()
  }
  const judge = (request: FastifyRequest, token: string) => {
    checkPace(request)
    if (!isToken(token)) refuse(request)
    request.authorized = true
    clients.welcome(request.raw.socket)
  }
  return { judge, judgeHeader: (request) => judge(request, bearer(request.headers.authorization)), refuse, checkPace }
}

/** Compares in constant time, whatever is given; that it has the token's length shows at most (43 characters, unless the owner chose one). */
function tokenCheck(token: string): (text: string) => boolean {
  const expected = Buffer.from(token)
  const given = Buffer.alloc(expected.length)
  return (text) => {
    given.fill(0).write(text)
    return timingSafeEqual(given, expected) && Buffer.byteLength(text) === expected.length
  }
}

/** The scheme's name is case-insensitive (RFC 9110, 11.1). */
function bearer(header: string | undefined): string {
  return /^Bearer +(.+)$/i.exec(header ?? '')?.[1] ?? ''
}

/** An IP literal, localhost, or a listed name, each with or without a port. */
export function checkHost(host: string | undefined, allowedHosts: string[]): void {
  const name = (host ?? '').toLowerCase().replace(/:\d+$/, '')
  const address = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  if (isIP(address) || name === 'localhost' || allowedHosts.some((allowed) => allowed.toLowerCase() === name)) return
  throw new ShellphoneError(
    'FORBIDDEN_HOST',
    'Host: expected an IP address, localhost or a name listed in allowed_hosts',
  )
}

/** Our own is as good as none: the Host that it equals has been checked. */
function checkOrigin({ origin, host }: IncomingHttpHeaders, allowedOrigins: string[]): void {
  if (origin === undefined || origin === `http://${host}` || allowedOrigins.includes(origin)) return
  throw new ShellphoneError('FORBIDDEN_ORIGIN', 'Origin: not listed in allowed_origins')
}

/** A public route, and no token shown that could be wrong. */
function isOpen({ routeOptions, headers }: FastifyRequest): boolean {
  return routeOptions.config.public === true && headers.authorization === undefined
}

/** A browser asks leave without a token before it sends one; its Origin has been checked by then. */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}
