import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type {} from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Settings } from '../config/index.ts'
import { ShellphoneError } from '../schema/index.ts'
import { unauthorized } from './error-replies.ts'

export type SecuritySettings = Pick<Settings, 'allowed_origins' | 'allowed_hosts'>

export interface Security {
  isToken(text: string): boolean
  hasToken(request: FastifyRequest): boolean
  /** always throws: UNAUTHORIZED, or RATE_LIMITED */
  refuse(request: FastifyRequest): Promise<never>
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
export function security(app: FastifyInstance, token: string, settings: SecuritySettings): Security {
  const isToken = tokenCheck(token)
  const hasToken = (request: FastifyRequest) => isToken(bearer(request.headers.authorization))
  const refuse = refusal(app)
  app.decorateRequest('authorized', false)
  app.addHook('onRequest', (request, reply, done) => {
    checkHost(request.headers.host, settings.allowed_hosts)
    checkOrigin(request.headers.origin, settings.allowed_origins)
    if (request.headers.origin) reply.headers({ 'access-control-allow-origin': request.headers.origin, vary: 'Origin' })
    request.authorized = hasToken(request)
    if (request.authorized || isOpen(request) || isPreflight(request)) done()
    else refuse(request).catch(done)
  })
  return { isToken, hasToken, refuse }
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

/** One uniform 401; 429 once the address has shown too many wrong tokens. The right one always passes: its owner is not locked out. */
function refusal(app: FastifyInstance): (request: FastifyRequest) => Promise<never> {
  const count = app.createRateLimit({ keyGenerator: (request: FastifyRequest) => request.ip })
  return async (request) => {
    const limit = await count(request)
    if (limit.isAllowed || !limit.isExceeded) throw unauthorized()
    throw new ShellphoneError('RATE_LIMITED', 'Too many wrong tokens from this address', {
      retryAfterSeconds: limit.ttlInSeconds,
    })
  }
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

function checkOrigin(origin: string | undefined, allowedOrigins: string[]): void {
  if (origin === undefined || allowedOrigins.includes(origin)) return
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
