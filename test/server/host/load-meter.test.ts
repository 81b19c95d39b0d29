import { mock } from 'node:test'
import t from 'tap'
import { createLoadMeter } from '../../../src/server/host/index.ts'

t.test(
  'samples a long run soon after it begins and ends, and once a minute in between; an idle service is not sampled',
  async (t) => {
    const startMs = 1_000_000
    let nowMs = startMs
    let running = 0
    mock.timers.enable({ apis: ['setTimeout'] })
    const pass = (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        nowMs += 1000
        mock.timers.tick(1000)
      }
    }
    const meter = createLoadMeter(
      () => ({ running, queued: 0, isBusy: false }),
      () => nowMs,
    )
    pass(60)
    running = 1
    meter.note()
    pass(150)
    running = 0
    meter.changed()
    pass(300)
    mock.timers.reset()
    const samples = await meter.read()
    t.same(
      samples.map(({ at, running, begun }) => [(Date.parse(at) - startMs) / 1000, running, begun]),
      [
        [0, 0, 0],
        [65, 1, 1],
        [125, 1, 0],
        [185, 1, 0],
        [215, 0, 0],
        [510, 0, 0],
      ],
      'at the start, after the begin, twice in between, after the end, and now',
    )
    nowMs += 590_000
    t.equal((await meter.read()).length, 3, 'keeps one sample from before the last ten minutes')
  },
)

const START_MS = 60_000_000
const DAY_MINUTES = 1440

/** Creates a meter whose clock starts at a full minute, and moves only when the test moves it. */
function createMeter() {
  let nowMs = START_MS
  let load = { running: 0, queued: 0 }
  mock.timers.enable({ apis: ['setTimeout'] })
  const meter = createLoadMeter(
    () => ({ ...load, isBusy: false }),
    () => nowMs,
  )
  const pass = (seconds: number) => {
    nowMs += seconds * 1000
    mock.timers.tick(seconds * 1000)
  }
  return {
    pass,
    /** changes the load, begins runs, and takes a sample after five seconds */
    sample(running: number, queued: number, begun: number) {
      load = { running, queued }
      for (let count = 0; count < begun; count += 1) meter.note()
      meter.changed()
      pass(5)
    },
    async read(minutes?: number) {
      mock.timers.reset()
      const samples = await meter.read(minutes)
      return samples.map((sample) => ({ ...sample, second: (Date.parse(sample.at) - START_MS) / 1000 }))
    },
  }
}

t.test('summarizes each minute: the highest numbers, the sum of the begun runs, the last time', async (t) => {
  const { pass, sample, read } = createMeter()
  pass(40)
  sample(3, 1, 2)
  sample(5, 0, 2)
  sample(1, 2, 1)
  pass(10)
  sample(2, 0, 1)
  pass(20)
  const summaries = await read(60)
  t.same(
    summaries.map(({ second, running, queued, begun }) => [second, running, queued, begun]),
    [
      [55, 5, 2, 5],
      [90, 2, 0, 1],
      [90, 2, 0, 0],
    ],
    'the minutes, then the current sample',
  )
  const seconds = async (minutes?: number) => (await read(minutes)).map(({ second }) => second)
  t.same(await seconds(), [0, 45, 50, 55, 70, 90, 90], 'by default, the samples themselves')
  t.same(await seconds(10), await seconds(), 'ten minutes are the default')
})

t.test('an idle hour leaves no samples, and a span begins with the newest sample before it', async (t) => {
  const { pass, sample, read } = createMeter()
  sample(1, 0, 1)
  sample(0, 0, 0)
  pass(3600)
  sample(1, 0, 1)
  for (const minutes of [120, 60, 11]) {
    t.same(
      (await read(minutes)).map(({ second }) => second),
      [10, 3615, 3615],
      `${minutes} minutes`,
    )
  }
})

t.test('stores at most 1440 minutes', async (t) => {
  const { pass, sample, read } = createMeter()
  for (let minute = 0; minute < DAY_MINUTES + 60; minute += 1) {
    sample(minute, 0, 0)
    pass(55)
  }
  const summaries = await read(DAY_MINUTES)
  t.equal(summaries.length, DAY_MINUTES + 1, 'the minutes and the current sample')
  t.equal(summaries[0]!.running, 61)
})
