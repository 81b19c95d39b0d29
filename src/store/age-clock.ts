import type { Log } from './log.ts'

const DAY_MS = 86_400_000
/** The wall clock may be set by so much without a word. */
const JUMP_MS = 60_000

/**
 * The time by which ages are counted, in milliseconds from the oldest record on: it goes by the times of the records, one after the
 * other and at most a day between two, then by the monotonic clock. So a clock that is set wrong makes nothing old at once.
 */
export interface AgeClock {
  /** While history is read: the next record is of this time (ms since 1970). */
  pass(recordMs: number): number
  now(): number
}

export const createAgeClock = (now: () => number, elapsedMs: () => number, log: Log): AgeClock => {
  let ageMs = 0
  let lastMs: number | null = null
  let startedMs: number | null = null
  let aheadMs = now() - elapsedMs()

  const pass = (recordMs: number): number => {
    ageMs += Math.max(0, Math.min(recordMs - (lastMs ?? recordMs), DAY_MS))
    lastMs = recordMs
    return ageMs
  }

  const noticeJump = (): void => {
    const jumpMs = now() - elapsedMs() - aheadMs
    if (Math.abs(jumpMs) < JUMP_MS) return
    aheadMs += jumpMs
    log({ jump_ms: Math.round(jumpMs) }, 'the clock was set, or the machine slept: nothing is forgotten by that')
  }

  return {
    pass,
    now: () => {
      if (startedMs === null) {
        if (lastMs !== null) pass(now())
        startedMs = elapsedMs()
      }
      noticeJump()
      return ageMs + elapsedMs() - startedMs
    },
  }
}
