import type { FastifyRequest } from 'fastify'
import { ShellphoneError } from '../../../shared/schema/index.ts'
import { checkHost, createThrottle, isOwnOrigin, toOwner } from '../../../http/index.ts'

interface GateOptions {
  /** the address at which people, agents and phones reach the control planes */
  url: string
  /** host names that requests may use in addition to that of `url`, IP literals and localhost */
  allowedHosts: string[]
  /** the limit for one address; above it, wrong tokens get RATE_LIMITED */
  maxFailedLoginsPerMinute: number
}

/** The checks of a request before the check of its token, and the limit for wrong tokens. */
export interface Gate {
  /** Protects against DNS rebinding and requests from pages of other sites. Throws FORBIDDEN_HOST, FORBIDDEN_ORIGIN. */
  checkSource(request: FastifyRequest): void
  /**
   * If `error` is UNAUTHORIZED, counts a wrong token or invitation for the request's address. Returns the error for the client: `error`
   * itself, or RATE_LIMITED after too many. Valid tokens are never throttled, because behind a proxy all clients share one address. This is
   * safe, because tokens are too long to guess.
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
      throw new ShellphoneError('FORBIDDEN_ORIGIN', `Origin: expected the control plane's own origin, ${ownOrigin}`)
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
