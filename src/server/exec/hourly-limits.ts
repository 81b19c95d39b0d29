import { type RateState, rate } from '../policy/index.ts'

/** Maximum number of counters. Beyond it, the least recently used counter is dropped. */
const MAX_COUNTERS = 4096

/** Allows at most `most` actions per hour under this counter. */
interface HourlyLimit {
  counter: string
  most: number
}

interface HourlyLimits {
  /** Counts one action against each limit and returns null. If a limit refuses the action, counts nothing and returns that limit. */
  count(limits: HourlyLimit[]): { most: number; retryAfterMs: number | null } | null
}

export function createHourlyLimits(): HourlyLimits {
  const counters = new Map<string, RateState>()
  return {
    count(limits) {
      const answers = limits.map((limit) => ({
        ...limit,
        ...rate(counters.get(limit.counter) ?? [], Date.now(), limit.most),
      }))
      const refused = answers.find(({ verdict }) => verdict === 'deny')
      if (refused) return refused
      for (const { counter, state } of answers) {
        counters.delete(counter)
        counters.set(counter, state)
        if (counters.size > MAX_COUNTERS) counters.delete(counters.keys().next().value!)
      }
      return null
    },
  }
}
