import { signal, type Signal } from '@preact/signals'
import { connection, isStale } from '../wire.ts'

/** The clock of each period, which runs while something shows it. What is shown together changes together. */
const clocks = new Map<number, Signal<number>>()

function clockOf(everyMs: number): Signal<number> {
  const existing = clocks.get(everyMs)
  if (existing) return existing
  let timer: ReturnType<typeof setInterval>
  const clock = signal(0, {
    watched() {
      this.value = Date.now()
      timer = setInterval(() => (this.value = Date.now()), everyMs)
    },
    unwatched: () => clearInterval(timer),
  })
  clocks.set(everyMs, clock)
  return clock
}

/**
 * The current time in epoch milliseconds, updated every `everyMs`; null stops the updates. While the service does not respond, it is the time
 * of the last message, because what the page shows is from then.
 */
export function useNow(everyMs: number | null): number {
  const lostMs = isStale.value ? connection.value.since : 0
  if (lostMs > 0 || everyMs === null) return lostMs || Date.now()
  return clockOf(everyMs).value
}
