import { ShellphoneError } from '../shared/schema/index.ts'

/** Addresses that are remembered; past it the one that has been quiet longest is forgotten. */
const MAX_ADDRESSES = 1_024

/** How many wrong tokens an address may still show. */
export interface Throttle {
  /** whole seconds until the next wrong token of this address gets another answer than RATE_LIMITED; 0: now */
  waitSeconds(address: string): number
  /** one more wrong token */
  note(address: string): void
  /** Throws RATE_LIMITED while this address has to wait. `what`: too many of which it has shown. */
  check(address: string, what?: string): void
}

/**
 * Lets an address show `perMinute` wrong tokens at once, and as many each minute; `now` in milliseconds. @fastify/rate-limit counts every request,
 * right tokens too, and cannot be asked without counting.
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
