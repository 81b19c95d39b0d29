import { setTimeout as pause } from 'node:timers/promises'
import type { KV } from '@nats-io/kv'
import { retryUntilReady } from './bucket.ts'
import type { BrokerLink } from './broker-link.ts'
import type { Log } from '../plane-types.ts'

/** The broker's clock. Control planes use it for all times, because a plane's own wall clock may be wrong, or be set at any time. */
export interface Clock {
  /** epoch milliseconds */
  brokerNow(): number
  /** milliseconds of a monotonic clock, for durations */
  monotonicMs(): number
  /** Resolves after `ms` milliseconds, or as soon as `signal` aborts. Never rejects. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
  close(): void
}

/** The interval between measurements of the offset. They are repeated because the monotonic clock stops while a machine sleeps. */
const MEASURE_MS = 60_000
const KEY = 'clock'

/** Opens the clock. With one write a minute, it measures the offset between `monotonicMs` (milliseconds of a monotonic clock) and the broker's clock. */
export async function openClock(link: BrokerLink, kv: KV, monotonicMs: () => number, log: Log): Promise<Clock> {
  let offsetMs = await retryUntilReady(() => measure(kv, monotonicMs))
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

/** The error of a measurement is at most half of its round trip. If the round trip takes longer than this, it is repeated, up to MAX_TRIPS trips in total. */
const LONG_TRIP_MS = 1_000
const MAX_TRIPS = 5

/** The offset in milliseconds from the shortest round trip, because the process may have been suspended during another one. */
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
    if (entry === null) continue // another plane has overwritten the key
    return { offsetMs: entry.created.getTime() - (before + after) / 2, tripMs: after - before }
  }
}
