import t from 'tap'
import {
  FIVE_SECONDS,
  linesOf,
  ONE_MINUTE,
  type Sample,
  type SampleKind,
  valueAt,
} from '../../src/web/parts/samples.ts'

/** Samples from [second, value] pairs. */
const samples = (...pairs: [second: number, value: number][]): Sample[] =>
  pairs.map(([second, value]) => ({ atMs: second * 1000, value }))
const points = samples([100, 0], [105, 1], [400, 1], [405, 0])

t.test('a number of runs stays as it is until the next sample, and is unknown before the first one', async (t) => {
  const cases: [second: number, value: number | null][] = [
    [99, null],
    [100, 0],
    [104, 0],
    [250, 1],
    [405, 0],
    [600, 0],
  ]
  for (const [second, value] of cases)
    t.equal(valueAt(points, 'held', second * 1000, FIVE_SECONDS), value, `at ${second} s`)
  const [line] = linesOf(points, 'held', 0, 600_000, FIVE_SECONDS)
  t.equal(line![0]!.atMs, 100_000, 'nothing is drawn before the first sample')
  t.same(
    line!.filter(({ atMs }) => atMs > 105_000 && atMs < 400_000),
    [],
    'there is no point between the two samples',
  )
  t.match(line!.at(-1), { atMs: 600_000, value: 0 })
})

t.test('where nothing was measured, the line has a gap', async (t) => {
  const lines = linesOf(samples([0, 5], [5, 6], [300, 7], [600, 8]), 'measured', 0, 600_000, FIVE_SECONDS)
  t.same(
    lines.map((line) => line.map(({ value }) => value)),
    [[5, 6], [7], [8]],
  )
  t.equal(valueAt(samples([0, 5], [300, 7]), 'measured', 150_000, FIVE_SECONDS), null)
  t.equal(valueAt(samples([0, 5], [300, 7]), 'measured', 298_000, FIVE_SECONDS), 7)
})

t.test('samples of a long run, once a minute, are connected, and a single sample is a line of one point', async (t) => {
  const lines = linesOf(samples([5, 1], [65, 2], [126, 3], [300, 4]), 'measured', 0, 600_000, FIVE_SECONDS)
  t.same(
    lines.map((line) => line.map(({ value }) => value)),
    [[1, 2, 3], [4]],
  )
  t.equal(valueAt(samples([5, 1], [65, 2]), 'measured', 40_000, FIVE_SECONDS), 2)
})

t.test('a count belongs to the five seconds before its sample, and is zero between samples', async (t) => {
  const counts = samples([100, 0], [300, 4])
  const values = [50, 100, 200, 296, 300, 301].map((second) => valueAt(counts, 'counted', second * 1000, FIVE_SECONDS))
  t.same(values, [null, 0, 0, 4, 4, 0])
})

t.test('the oldest sample shows the state at the start of the window', async (t) => {
  for (const kind of ['held', 'counted'] satisfies SampleKind[]) {
    const [line] = linesOf(samples([0, 3]), kind, 100_000, 200_000, FIVE_SECONDS)
    const value = kind === 'held' ? 3 : 0
    t.match(line, [
      { atMs: 100_000, value },
      { atMs: 200_000, value },
    ])
  }
})

t.test('samples of minutes are connected up to two minutes, and count a whole minute', async (t) => {
  const minutes = samples([0, 5], [60, 6], [180, 7], [301, 8])
  t.same(
    linesOf(minutes, 'measured', 0, 600_000, ONE_MINUTE).map((line) => line.map(({ value }) => value)),
    [[5, 6, 7], [8]],
  )
  t.equal(valueAt(minutes, 'measured', 120_000, ONE_MINUTE), 6, 'within a minute of the nearest')
  t.equal(valueAt(minutes, 'measured', 362_000, ONE_MINUTE), null)
  const values = [200, 242, 301, 310].map((second) => valueAt(minutes, 'counted', second * 1000, ONE_MINUTE))
  t.same(values, [0, 8, 8, 0])
})
