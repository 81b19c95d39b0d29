/** Stops asking what does not answer. */
interface CircuitBreaker {
  /** milliseconds until it may be tried again; 0: now */
  restMs(): number
  report(succeeded: boolean): void
}

/** After `maxFailures` in a row nothing is to be tried for `restMs`; one more failure then means another rest. */
export function createCircuitBreaker(maxFailures: number, restMs: number, now: () => number): CircuitBreaker {
  let failures = 0
  let triableAt = 0
  return {
    restMs: () => Math.max(0, triableAt - now()),
    report(succeeded) {
      failures = succeeded ? 0 : failures + 1
      triableAt = failures >= maxFailures ? now() + restMs : 0
    },
  }
}
