import type { FastifyRequest } from 'fastify'
import { ShellphoneError } from '../../../shared/schema/index.ts'
import { checkHost, createThrottle, isOwnOrigin, toOwner } from '../../../http/index.ts'

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
  const throttle = createThrottle(maxFailedLoginsPerMinute, () => performance.now())
  return {
    checkSource(request) {
      const { host, origin } = request.headers
      checkHost(host, allowedHosts, hostname)
      if (isOwnOrigin(request) || origin === ownOrigin) return
      throw new ShellphoneError('FORBIDDEN_ORIGIN', `Origin: expected the control plane's own, ${ownOrigin}`)
    },
    counted({ ip }, error) {
      if (!(error instanceof ShellphoneError) || error.code !== 'UNAUTHORIZED') return error
      const address = toOwner(ip)
      try {
        throttle.check(address, 'tokens and invitations')
      } catch (limited) {
        return limited
      }
      throttle.note(address)
      return error
    },
  }
}
