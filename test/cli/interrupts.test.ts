import t from 'tap'
import { onInterrupts } from '../../src/cli/commands/interrupts.ts'
import type { Run } from '../../src/sdk/index.ts'
import { createMovedClock } from '../support/moved-clock.ts'

/** A running command whose client receives Ctrl-C. */
function interrupted() {
  const seen: string[] = []
  const clock = createMovedClock()
  const run = {
    signal: async (name: string) => void seen.push(name),
    cancel: async () => void seen.push('cancel'),
  } as unknown as Run
  const interrupts = onInterrupts(
    run,
    (line) => seen.push(line),
    () => seen.push('leave'),
    clock,
  )
  interrupts.isRunning()
  return { seen, clock, stop: interrupts.stop, press: () => process.emit('SIGINT') }
}
const HINT = 'Ctrl-C again cancels the run; a third one exits without waiting'

t.test('explains the next Ctrl-C a second after the first', async (t) => {
  const { seen, clock, stop, press } = interrupted()
  press()
  clock.move(999)
  t.same(seen, ['SIGINT'])
  clock.move(1)
  t.same(seen, ['SIGINT', HINT])
  press()
  press()
  t.same(seen, ['SIGINT', HINT, 'cancel', 'leave'])
  stop()
})

t.test('explains nothing when the command has ended or Ctrl-C was pressed again', async (t) => {
  const ended = interrupted()
  ended.press()
  ended.stop()
  ended.clock.move(2000)
  t.same(ended.seen, ['SIGINT'])
  const twice = interrupted()
  twice.press()
  twice.press()
  twice.clock.move(2000)
  t.same(twice.seen, ['SIGINT', 'cancel'])
  twice.stop()
})
