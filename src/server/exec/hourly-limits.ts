import { type RateState, rate } from '../policy/index.ts'

/** Counters that are remembered; past it the one that has not counted for longest is forgotten. */
const MAX_COUNTERS = 4096

/** At most `most` actions within an hour, counted under this name. */
interface HourlyLimit {
  counter: string
  most: number
}

interface HourlyLimits {
  /** Counts one action under each of the limits and returns null; or the limit that refuses it, and nothing is counted. */
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
