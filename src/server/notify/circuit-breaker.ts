/** Pauses calls to a tool that does not respond. */
interface CircuitBreaker {
  /** returns the milliseconds until the next attempt; 0: now */
  restMs(): number
  report(succeeded: boolean): void
}

/** Creates a breaker that allows no attempt for `restMs` after `maxFailures` in a row. Each further failure starts another pause. */
export function createCircuitBreaker(maxFailures: number, restMs: number, now: () => number): CircuitBreaker {
  let failures = 0
  let retryAt = 0
  return {
    restMs: () => Math.max(0, retryAt - now()),
    report(succeeded) {
      failures = succeeded ? 0 : failures + 1
      retryAt = failures >= maxFailures ? now() + restMs : 0
    },
  }
}
