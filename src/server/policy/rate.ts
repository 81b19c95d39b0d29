/** Limits the number of actions within any hour (a sliding window). Pure: the caller stores one state for each token. */

const HOUR_MS = 3_600_000

/** The times of the actions in the last hour, oldest first; never more than the limit. */
export type RateState = readonly number[]

interface RateAnswer {
  state: RateState
  verdict: 'allow' | 'deny'
  remaining: number // how many more actions are allowed now
  /** milliseconds until the next action is allowed; 0: immediately; null: never, because the limit is 0 */
  retryAfterMs: number | null
}

/** Counts one action at `nowMs` if it is within the limit. A denied action is not counted, so it does not prolong the wait. */
export function rate(state: RateState, nowMs: number, maxPerHour: number | null): RateAnswer {
  if (maxPerHour === null) return { state: [], verdict: 'allow', remaining: Number.POSITIVE_INFINITY, retryAfterMs: 0 }
  const recent = state.filter((at) => at > nowMs - HOUR_MS && at <= nowMs).slice(-Math.max(maxPerHour, 1))
  if (maxPerHour <= 0) return { state: [], verdict: 'deny', remaining: 0, retryAfterMs: null }
  if (recent.length >= maxPerHour) {
    return {
      state: recent,
      verdict: 'deny',
      remaining: 0,
      retryAfterMs: Math.max(1, recent[recent.length - maxPerHour]! + HOUR_MS - nowMs),
    }
  }
  return { state: [...recent, nowMs], verdict: 'allow', remaining: maxPerHour - recent.length - 1, retryAfterMs: 0 }
}
