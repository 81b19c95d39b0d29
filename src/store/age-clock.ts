import type { Log } from './log.ts'

const DAY_MS = 86_400_000
/** The wall clock may be set by so much without a word. */
const JUMP_MS = 60_000

/**
 * The time by which ages are counted: it begins with the wall clock, but at most a day after the newest thing known, and goes on with
 * the monotonic clock. So a clock that is set wrong makes nothing old at once. Milliseconds since 1970.
 */
export const createAgeClock = (
  newestMs: number,
  now: () => number,
  elapsedMs: () => number,
  log: Log,
): (() => number) => {
  const startMs = newestMs === 0 ? now() : Math.min(now(), newestMs + DAY_MS)
  const startedMs = elapsedMs()
  let aheadMs = now() - startMs
  if (aheadMs > 0)
    log({ ahead_ms: aheadMs }, 'the clock is more than a day after the newest record: nothing is forgotten by its age')
  return () => {
    const ageMs = startMs + elapsedMs() - startedMs
    const jumpMs = now() - ageMs - aheadMs
    if (Math.abs(jumpMs) > JUMP_MS)
      log({ jump_ms: Math.round(jumpMs) }, 'the clock was set, or the machine slept: nothing is forgotten by that')
    if (Math.abs(jumpMs) > JUMP_MS) aheadMs += jumpMs
    return ageMs
  }
}
