import t from 'tap'
import { LoadHistory } from '../../../src/server/host/load-history.ts'
import { toIso } from '../../../src/shared/schema/index.ts'

t.test('a summary has the longest delay and the last memory of its minute', async (t) => {
  const history = new LoadHistory()
  const add = (second: number, memory_bytes: number, lag_ms: number) => {
    const atMs = second * 1000
    history.add({ atMs, sample: { at: toIso(atMs), running: 0, queued: 0, begun: 1, memory_bytes, lag_ms } })
  }
  add(0, 30, 1)
  add(5, 50, 9)
  add(59, 40, 2)
  add(60, 20, 0)
  t.match(history.read(60, 60_000), [
    { at: toIso(59_000), begun: 3, memory_bytes: 40, lag_ms: 9 },
    { at: toIso(60_000), begun: 1, memory_bytes: 20, lag_ms: 0 },
  ])
  t.equal(history.read(10, 60_000).length, 4, 'ten minutes have the samples themselves')
})
