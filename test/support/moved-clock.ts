import type { Clock } from '../../src/shared/async/index.ts'

/** A clock that stands still until a test moves it. */
interface MovedClock extends Clock {
  /** Advances the clock and calls the timers that are due, in order, including those they start. */
  move(ms: number): void
  /** the number of timers that were neither called nor stopped */
  waiting(): number
}

export function createMovedClock(): MovedClock {
  const timers = new Map<object, { atMs: number; work(): void }>()
  let nowMs = 0
  const next = (untilMs: number) =>
    [...timers].filter(([, { atMs }]) => atMs <= untilMs).sort(([, a], [, b]) => a.atMs - b.atMs)[0]
  return {
    now: () => nowMs,
    startTimer: (work, ms) => {
      const timer = { stop: () => void timers.delete(timer), unref: () => timer }
      timers.set(timer, { atMs: nowMs + ms, work })
      return timer
    },
    move: (ms) => {
      const endMs = nowMs + ms
      for (let due = next(endMs); due !== undefined; due = next(endMs)) {
        const [timer, { atMs, work }] = due
        timers.delete(timer)
        nowMs = Math.max(nowMs, atMs)
        work()
      }
      nowMs = endMs
    },
    waiting: () => timers.size,
  }
}
