import { ShellphoneError } from '../shared/schema/index.ts'

/** Maximum number of addresses to remember; the address that has been inactive longest is forgotten first. */
const MAX_ADDRESSES = 1_024

/** Limits how many wrong tokens an address may send. */
export interface Throttle {
  /** whole seconds until this address may send another wrong token without RATE_LIMITED; 0: now */
  waitSeconds(address: string): number
  /** counts a wrong token */
  note(address: string): void
  /** Throws RATE_LIMITED while this address has to wait. `what` names the wrong credentials in the message. */
  check(address: string, what?: string): void
}

/**
 * Lets an address show `perMinute` wrong tokens at once, and then as many per minute; `now` returns milliseconds. @fastify/rate-limit would count
 * every request, including those with valid tokens, and cannot be queried without counting.
 */
export function createThrottle(perMinute: number, now: () => number): Throttle {
  const spent = new Map<string, { count: number; at: number }>()
  const countOf = (address: string) => {
    const entry = spent.get(address)
    return entry ? Math.max(0, entry.count - ((now() - entry.at) * perMinute) / 60_000) : 0
  }
  const waitSeconds = (address: string) => {
    if (!spent.has(address)) return 0
    const over = countOf(address) - (perMinute - 1)
    return over > 0 ? Math.ceil((over * 60) / perMinute) : 0
  }
  return {
    waitSeconds,
    check(address, what = 'tokens') {
      const retryAfterSeconds = waitSeconds(address)
      if (retryAfterSeconds === 0) return
      const message = `Too many wrong ${what} from this address`
      throw new ShellphoneError('RATE_LIMITED', message, { retryAfterSeconds })
    },
    note(address) {
      const count = countOf(address) + 1
      spent.delete(address)
      spent.set(address, { count, at: now() })
      if (spent.size > MAX_ADDRESSES) spent.delete(spent.keys().next().value!)
    },
  }
}
