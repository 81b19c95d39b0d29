import { setTimeout as pause } from 'node:timers/promises'
import type { KV } from '@nats-io/kv'
import { untilMade } from './bucket.ts'
import type { BrokerLink } from './broker-link.ts'
import type { Log } from '../plane-types.ts'

/** The broker's clock, the only one that decides anything here: a plane's own wall clock may be wrong, or stepped at any time. */
export interface Clock {
  /** epoch milliseconds */
  brokerNow(): number
  /** milliseconds, never stepped: for durations */
  monotonicMs(): number
  /** Resolves after so many milliseconds, or as soon as `signal` is aborted; never rejects. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
  close(): void
}

/** A machine that sleeps stops its monotonic clock without a word: after this the offset is right again. */
const MEASURE_MS = 60_000
const KEY = 'clock'

/** Measures, by one write now and then, how far `monotonicMs` (milliseconds, never stepped) is behind the broker's clock. */
export async function openClock(link: BrokerLink, kv: KV, monotonicMs: () => number, log: Log): Promise<Clock> {
  let offsetMs = await untilMade(() => measure(kv, monotonicMs))
  const again = () => {
    measure(kv, monotonicMs).then(
      (ms) => (offsetMs = ms),
      (error: Error) => log({ reason: error.message }, "the broker's clock cannot be read"),
    )
  }
  const timer = setInterval(again, MEASURE_MS).unref()
  link.onChange((isUp) => isUp && again())
  return {
    brokerNow: () => Math.round(monotonicMs() + offsetMs),
    monotonicMs,
    pause: (ms, signal) => pause(ms, undefined, signal && { signal }).catch(() => {}),
    close: () => clearInterval(timer),
  }
}

/** Half of a round trip's time is what a measurement may be wrong by: a longer one is made again, at most so often. */
const LONG_TRIP_MS = 1_000
const MAX_TRIPS = 5

/** Milliseconds from `monotonicMs` to the broker's clock, by the shortest round trip: the process may have stood still during another. */
async function measure(kv: KV, monotonicMs: () => number): Promise<number> {
  let best = await roundTrip(kv, monotonicMs)
  for (let trips = 1; best.tripMs > LONG_TRIP_MS && trips < MAX_TRIPS; trips++) {
    const next = await roundTrip(kv, monotonicMs)
    if (next.tripMs < best.tripMs) best = next
  }
  return best.offsetMs
}

async function roundTrip(kv: KV, monotonicMs: () => number): Promise<{ offsetMs: number; tripMs: number }> {
  for (;;) {
    const before = monotonicMs()
    const revision = await kv.put(KEY, '{}')
    const after = monotonicMs()
    const entry = await kv.get(KEY, { revision })
    if (entry === null) continue // another plane has written since
    return { offsetMs: entry.created.getTime() - (before + after) / 2, tripMs: after - before }
  }
}
