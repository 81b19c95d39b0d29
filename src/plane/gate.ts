import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ShellphoneError } from '../schema/index.ts'

interface GateOptions {
  /** where people, agents and phones find the planes */
  url: string
  /** host names beside that of `url`, IP literals and localhost */
  allowedHosts: string[]
  /** of one address; the next ones are told to wait */
  maxFailedLoginsPerMinute: number
}

/** Which requests are looked at, before a token is. */
export interface Gate {
  /** Against DNS rebinding and other sites' pages. Throws FORBIDDEN_HOST, FORBIDDEN_ORIGIN. */
  checkSource(request: FastifyRequest): void
  /**
   * Counts a wrong token or invitation of the request's address (`error` is UNAUTHORIZED) and returns what its client is told: the same
   * error, or RATE_LIMITED after too many. Right ones are never throttled: behind a proxy everybody has one address, and tokens are
   * too long to be guessed.
   */
  counted(request: FastifyRequest, error: unknown): unknown
}

export function createGate({ url, allowedHosts, maxFailedLoginsPerMinute }: GateOptions): Gate {
  const { origin: ownOrigin, hostname } = new URL(url)
  const names = ['localhost', hostname, ...allowedHosts].map((name) => name.toLowerCase())
  const throttle = createThrottle(maxFailedLoginsPerMinute)
  return {
    checkSource({ headers, protocol }) {
      const { host = '', origin } = headers
      const name = host.toLowerCase().replace(/:\d+$/, '')
      if (isIP(name.replace(/^\[(.*)\]$/, '$1')) === 0 && !names.includes(name)) {
        const expected = `an IP address, localhost, ${hostname}, or a name listed in allowed_hosts`
        throw new ShellphoneError('FORBIDDEN_HOST', `Host: expected ${expected}`)
      }
      if (origin === undefined || origin === ownOrigin || origin === `${protocol}://${host}`) return
      throw new ShellphoneError('FORBIDDEN_ORIGIN', `Origin: expected the control plane's own, ${ownOrigin}`)
    },
    counted({ ip }, error) {
      if (!(error instanceof ShellphoneError) || error.code !== 'UNAUTHORIZED') return error
      const retryAfterSeconds = throttle(ip)
      if (retryAfterSeconds === 0) return error
      const message = 'Too many wrong tokens and invitations from this address'
      return new ShellphoneError('RATE_LIMITED', message, { retryAfterSeconds })
    },
  }
}

/** Addresses that are remembered; past it the one that has been quiet longest is forgotten. */
const MAX_ADDRESSES = 1_024

/** Counts one more of this address; whole seconds until its next one would not be too many, 0: this one is not. */
function createThrottle(perMinute: number): (address: string) => number {
  const spent = new Map<string, { count: number; at: number }>()
  return (address) => {
    const entry = spent.get(address) ?? { count: 0, at: 0 }
    const left = Math.max(0, entry.count - ((performance.now() - entry.at) * perMinute) / 60_000)
    if (left > perMinute - 1) return Math.ceil(((left - (perMinute - 1)) * 60) / perMinute)
    spent.delete(address)
    spent.set(address, { count: left + 1, at: performance.now() })
    if (spent.size > MAX_ADDRESSES) spent.delete(spent.keys().next().value!)
    return 0
  }
}
