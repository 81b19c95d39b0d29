const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 10_000

/** Counts the attempts to reach the service: how long they have taken, and how long the next one waits. */
export class LinkAttempts {
  /** it was there once: a connection that is lost is looked for */
  hasHeard = false
  /** spent on attempts since the last message */
  searchedMs = 0
  /** when the last attempt failed; null: the connection is good, or it is the first */
  #missedAt: number | null = null
  #waitMs = FIRST_WAIT_MS

  /** `longestMs`: one attempt takes less; one that took longer was interrupted, because the machine slept or we were stopped. */
  constructor(readonly longestMs: number) {}

  /** A message has come. */
  heard(): void {
    this.taken()
    this.#missedAt = null
    this.searchedMs = 0
  }

  /** The service took the connection: there is no need to wait long for the next one. */
  taken(): void {
    this.hasHeard = true
    this.#waitMs = FIRST_WAIT_MS
  }

  /** One has failed. After a sleep they count anew: nobody could answer meanwhile. */
  failed(): void {
    const now = performance.now()
    const tookMs = now - (this.#missedAt ?? now)
    this.#missedAt = now
    this.searchedMs = tookMs > this.longestMs + LONGEST_WAIT_MS ? 0 : this.searchedMs + tookMs
  }

  /** Milliseconds before the next one. */
  nextWait(): number {
    const waitMs = this.#waitMs
    this.#waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
    return waitMs
  }
}
