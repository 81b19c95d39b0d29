import type { KV } from '@nats-io/kv'
import t from 'tap'
import { openClock } from '../../src/fleet/plane/broker/clock.ts'
import type { BrokerLink } from '../../src/fleet/plane/broker/broker-link.ts'

const BROKER_MS = Date.parse('2026-01-01T00:00:00Z')

/** A broker whose clock is ahead of ours by BROKER_MS; `trips` lists how many milliseconds each write takes in both directions. */
function pretendBroker(trips: [thereMs: number, backMs: number][]) {
  let nowMs = 0
  let writtenMs = 0
  let writes = 0
  const kv: Pick<KV, 'put' | 'get'> = {
    async put() {
      const [thereMs, backMs] = trips[Math.min(writes, trips.length - 1)]!
      writtenMs = nowMs += thereMs
      nowMs += backMs
      return ++writes
    },
    get: async () => ({ created: new Date(BROKER_MS + writtenMs) }) as Awaited<ReturnType<KV['get']>>,
  }
  return { kv: kv as KV, monotonicMs: () => nowMs, writes: () => writes }
}

const link = { onChange() {} } as unknown as BrokerLink

t.test('ignores a round trip during which the process was suspended', async (t) => {
  const rows: [what: string, trips: [number, number][], wrongMs: number, writes: number][] = [
    ['a normal round trip', [[5, 5]], 0, 1],
    [
      'suspended before the request was sent',
      [
        [60_000, 5],
        [5, 5],
      ],
      0,
      2,
    ],
    [
      'suspended before the response was read',
      [
        [5, 60_000],
        [5, 5],
      ],
      0,
      2,
    ],
    [
      'a network that is always slow',
      [
        [1_500, 500],
        [1_200, 800],
        [900, 700],
        [1_500, 500],
      ],
      100,
      5,
    ],
  ]
  for (const [what, trips, wrongMs, writes] of rows) {
    const broker = pretendBroker(trips)
    const clock = await openClock(link, broker.kv, broker.monotonicMs, () => {})
    t.equal(Math.abs(clock.brokerNow() - BROKER_MS - broker.monotonicMs()), wrongMs, what)
    t.equal(broker.writes(), writes, `${what}: round trips`)
    clock.close()
  }
})
