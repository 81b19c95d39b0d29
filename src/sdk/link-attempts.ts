const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 10_000

/** Measures how long the service has been unreachable, and determines the wait before the next attempt. */
export class LinkAttempts {
  /** true after the first successful connection; the link reconnects only after that */
  wasConnected = false
  /** milliseconds spent on failed attempts since the last message */
  failingMs = 0
  /** when the last attempt failed; null: no attempt has failed since the last message */
  #failedAt: number | null = null
  #waitMs = FIRST_WAIT_MS

  /** `longestMs`: the maximum duration of one attempt. If one takes longer, the machine was suspended, or this process was stopped. */
  constructor(readonly longestMs: number) {}

  messageReceived(): void {
    this.accepted()
    this.#failedAt = null
    this.failingMs = 0
  }

  /** The service accepted a connection, so the wait starts again at its minimum. */
  accepted(): void {
    this.wasConnected = true
    this.#waitMs = FIRST_WAIT_MS
  }

  /** An attempt failed. After a suspension the measurement restarts, because no response could arrive during that time. */
  failed(): void {
    const now = performance.now()
    const tookMs = now - (this.#failedAt ?? now)
    this.#failedAt = now
    this.failingMs = tookMs > this.longestMs + LONGEST_WAIT_MS ? 0 : this.failingMs + tookMs
  }

  /** Milliseconds to wait before the next attempt. */
  nextWait(): number {
    const waitMs = this.#waitMs
    this.#waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
    return waitMs
  }
}
