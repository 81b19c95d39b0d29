import { mock } from 'node:test'
import t from 'tap'
import { createLoadMeter } from '../../../src/server/host/index.ts'

t.test('samples a long run when it begins and when it ends, and runs no timer in between', async (t) => {
  let nowMs = 1_000_000
  let running = 0
  mock.timers.enable({ apis: ['setTimeout'] })
  const pass = (seconds: number) => {
    nowMs += seconds * 1000
    mock.timers.tick(seconds * 1000)
  }
  const meter = createLoadMeter(
    () => ({ running, queued: 0, isBusy: false }),
    () => nowMs,
  )
  pass(60)
  running = 1
  meter.note()
  pass(300)
  running = 0
  meter.changed()
  pass(60)
  mock.timers.reset()
  const samples = await meter.read()
  t.same(
    samples.map(({ running, begun }) => [running, begun]),
    [
      [0, 0],
      [1, 1],
      [0, 0],
      [0, 0],
    ],
    'at the start, after the begin, after the end, and now',
  )
  nowMs += 590_000
  t.equal((await meter.read()).length, 3, 'keeps one sample from before the last ten minutes')
})
