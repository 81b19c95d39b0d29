import { writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { awakeClock, Deadline, elapsedClock, within } from '../../../src/shared/async/index.ts'
import { freeze, processesWith, startService, until } from '../../support/helper.ts'

const DAY_MS = 86_400_000

t.test('a timer of 60 days fires once, after 60 days', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let calls = 0
  awakeClock.startTimer(() => calls++, 60 * DAY_MS)
  for (let day = 0; day < 59; day++) mock.timers.tick(DAY_MS)
  t.equal(calls, 0, 'not after 59 days')
  for (let day = 59; day < 63; day++) mock.timers.tick(DAY_MS) // each part of a long timer may fire up to a day late
  t.equal(calls, 1)
  for (let day = 0; day < 60; day++) mock.timers.tick(DAY_MS)
  t.equal(calls, 1)

  const stopped = awakeClock.startTimer(() => calls++, 60 * DAY_MS)
  mock.timers.tick(30 * DAY_MS)
  stopped.stop()
  mock.timers.tick(60 * DAY_MS)
  t.equal(calls, 1, 'a stopped timer does not fire')
})

t.test('a wait of 60 days does not end at once', async (t) => {
  let settle = () => {}
  const promise = new Promise<void>((resolve) => (settle = resolve))
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const waited = within(promise, 60 * DAY_MS)
  for (let day = 0; day < 59; day++) mock.timers.tick(DAY_MS)
  settle()
  t.equal(await waited, true, 'the promise settled first')
})

t.test('one clock runs while the machine is suspended, and the other stops', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const before = os.uptime()
  const uptime = mock.method(os, 'uptime', () => before)
  t.teardown(() => uptime.mock.restore())
  const [awake, elapsed] = [new Deadline(3_600_000, awakeClock), new Deadline(3_600_000, elapsedClock)]
  const called: string[] = []
  awake.startTimer(() => called.push('awake'))
  elapsed.startTimer(() => called.push('elapsed'))
  uptime.mock.mockImplementation(() => before + 7200)
  t.ok(awake.leftMs() > 3_500_000)
  t.equal(elapsed.leftMs(), 0)
  mock.timers.tick(60_000)
  t.same(called, ['elapsed'], 'soon after the machine has resumed')
  uptime.mock.mockImplementation(() => before)
  t.equal(elapsed.leftMs(), 0, 'the clock never goes backwards')
})

const TIMEOUT_MS = 2000

t.test(
  'a command that ended in time completes, even when the service could not look until after its deadline',
  async (t) => {
    const folder = t.testdir()
    for (const SHELLPHONE_SPAWNER of ['auto', 'child_process']) {
      const service = await startService({ env: { SHELLPHONE_SPAWNER } })
      /** Resolves with the result and the longest that the command can have taken: from before it was sent until it had ended. */
      const endWhileFrozen = async (ref: string) => {
        const gate = join(folder, `${SHELLPHONE_SPAWNER}-${ref}`)
        const socket = await service.socket()
        const sentMs = performance.now()
        const ending = socket.exec(ref, {
          command: `until [ -e ${gate} ]; do sleep 0.01; done; echo ok`,
          timeout_seconds: TIMEOUT_MS / 1000,
        })
        await socket.next(({ type, status }) => type === 'status' && status === 'running')
        const runningMs = performance.now()
        await freeze(service.pid)
        writeFileSync(gate, '')
        await until(() => processesWith(gate).length === 0)
        const tookMs = performance.now() - sentMs
        // waits in real time, which the launcher measures too, until the deadline must have passed
        await sleep(runningMs + TIMEOUT_MS - performance.now())
        process.kill(service.pid, 'SIGCONT')
        const result = await ending
        await socket.close()
        return { result, tookMs }
      }
      let ended = await endWhileFrozen('0')
      // on a busy machine the command may have exceeded its timeout
      for (let n = 1; ended.tookMs >= TIMEOUT_MS; n++) ended = await endWhileFrozen(String(n))
      t.match(ended.result, { status: 'completed', stdout: 'ok\n' }, SHELLPHONE_SPAWNER)
      await service.stop()
    }
  },
)
