import type { KV } from '@nats-io/kv'
import { untilMade } from './bucket.ts'
import type { Link } from './link.ts'
import type { Log } from './parts.ts'

/** The broker's clock, by which the ends of jobs are counted: planes may have any time of their own. */
export interface Clock {
  /** epoch milliseconds, this machine's */
  now(): number
  /** epoch milliseconds, the broker's */
  brokerNow(): number
  /** what the broker is ahead */
  offsetMs(): number
  close(): void
}

const MEASURE_MS = 600_000
const KEY = 'clock'

/** Measures how far apart the clocks are: by one write, now and then. */
export async function openClock(link: Link, kv: KV, now: () => number, log: Log): Promise<Clock> {
  let offsetMs = await untilMade(() => measure(kv, now))
  const again = () => {
    measure(kv, now).then(
      (ms) => (offsetMs = ms),
      (error: Error) => log({ reason: error.message }, "the broker's clock cannot be read"),
    )
  }
  const timer = setInterval(again, MEASURE_MS).unref()
  link.onChange((isUp) => isUp && again())
  return {
    now,
    brokerNow: () => now() + offsetMs,
    offsetMs: () => offsetMs,
    close: () => clearInterval(timer),
  }
}

async function measure(kv: KV, now: () => number): Promise<number> {
  for (;;) {
    const before = now()
    const revision = await kv.put(KEY, '{}')
    const after = now()
    const entry = await kv.get(KEY, { revision })
    if (entry !== null) return entry.created.getTime() - (before + after) / 2 // another plane may have written since
  }
}
