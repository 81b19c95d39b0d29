import type { Log } from './warnings.ts'

const DAY_MS = 86_400_000
/** The wall clock may be set by so much without a word. */
const JUMP_MS = 60_000

/**
 * The time by which ages are counted, in milliseconds from the oldest record on: it goes by the times of the records, one after the
 * other and at most a day between two, then by the monotonic clock. So a clock that is set wrong makes nothing old at once.
 */
export class AgeClock {
  #ageMs = 0
  #lastMs: number | null = null
  #startedMs: number | null = null
  #aheadMs: number

  /** `wallMs`: since 1970; `elapsedMs`: monotonic */
  constructor(
    private readonly wallMs: () => number,
    private readonly elapsedMs: () => number,
    private readonly log: Log,
  ) {
    this.#aheadMs = wallMs() - elapsedMs()
  }

  /** While history is read: the next record is of this time (ms since 1970). */
  pass(recordMs: number): number {
    this.#ageMs += Math.max(0, Math.min(recordMs - (this.#lastMs ?? recordMs), DAY_MS))
    this.#lastMs = recordMs
    return this.#ageMs
  }

  nowMs(): number {
    if (this.#startedMs === null) {
      if (this.#lastMs !== null) this.pass(this.wallMs())
      this.#startedMs = this.elapsedMs()
    }
    const jumpMs = this.wallMs() - this.elapsedMs() - this.#aheadMs
    if (Math.abs(jumpMs) >= JUMP_MS) {
      this.#aheadMs += jumpMs
      this.log({ jump_ms: Math.round(jumpMs) }, 'the clock was set, or the machine slept: nothing is forgotten by that')
    }
    return this.#ageMs + this.elapsedMs() - this.#startedMs
  }
}
