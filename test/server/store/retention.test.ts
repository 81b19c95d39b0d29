import t from 'tap'
import { newRunId } from '../../../src/server/store/index.ts'
import type { Entries } from '../../../src/server/store/ended-entry.ts'
import type { HistoryParts } from '../../../src/server/store/history-index.ts'
import { AgeClock } from '../../../src/server/store/ids.ts'
import { Retention } from '../../../src/server/store/retention.ts'
import type { Segments } from '../../../src/server/store/segments.ts'
import { MIB } from './world.ts'

t.test('removes the oldest segments, with their runs, beyond 256 MiB in total', async (t) => {
  const clock = new AgeClock(
    Date.now,
    () => performance.now(),
    () => {},
  )
  const entries: Entries = new Map()
  const numbers = [1, 2, 3, 4]
  const ids = numbers.map((segment) => {
    const id = newRunId(segment)
    entries.set(id, { status: 'completed', segment, offset: 0, length: 1, files: false, ageMs: clock.nowMs() })
    return id
  })
  const parts = { historyMaxCount: 100, historyMaxAgeDays: 30 } as HistoryParts
  const segments: Pick<Segments, 'numbers' | 'bytes' | 'forgetFirst'> = {
    numbers,
    bytes: () => 100 * MIB,
    forgetFirst: () => void numbers.shift(),
  }
  const forgotten: number[] = []
  new Retention(entries, clock, parts).retainSegments(segments as Segments, (segment) => forgotten.push(segment))
  t.same(forgotten, [1, 2])
  t.same(numbers, [3, 4])
  t.same(
    [...entries].map(([id]) => id),
    ids.slice(2),
  )
})
