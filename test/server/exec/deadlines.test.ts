import { readFileSync } from 'node:fs'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startTimer, within } from '../../../src/shared/async/index.ts'
import { processesWith, startService, until } from '../../support/helper.ts'

const DAY_MS = 86_400_000

t.test('a timer of 60 days is called after 60 days, once', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let calls = 0
  startTimer(() => calls++, 60 * DAY_MS)
  for (let day = 0; day < 59; day++) mock.timers.tick(DAY_MS)
  t.equal(calls, 0, 'not after 59 days')
  for (let day = 59; day < 63; day++) mock.timers.tick(DAY_MS) // a tick is late by up to a day, for each part
  t.equal(calls, 1)
  for (let day = 0; day < 60; day++) mock.timers.tick(DAY_MS)
  t.equal(calls, 1)

  const stopped = startTimer(() => calls++, 60 * DAY_MS)
  mock.timers.tick(30 * DAY_MS)
  stopped.stop()
  mock.timers.tick(60 * DAY_MS)
  t.equal(calls, 1, 'one that was stopped is not called')
})

t.test('a wait of 60 days does not end at once', async (t) => {
  let settle = () => {}
  const promise = new Promise<void>((resolve) => (settle = resolve))
  const waited = within(promise, 60 * DAY_MS)
  setTimeout(settle, 50)
  t.equal(await waited, true, 'the promise was first')
})

/** Whether the kernel has stopped it. */
const isStopped = (pid: number) => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/, ''))

t.test(
  'a command that ended in time completes, even when the service could not look until after its deadline',
  async (t) => {
    for (const SHELLPHONE_SPAWNER of ['auto', 'child_process']) {
      const service = await startService({ env: { SHELLPHONE_SPAWNER } })
      const socket = await service.socket()
      const ending = socket.exec('late', { command: 'sleep 0.4071; echo ok', timeout_seconds: 1 })
      await socket.next(({ type, status }) => type === 'status' && status === 'running')
      t.ok(await until(() => processesWith('sleep 0.4071').length > 0))
      process.kill(service.pid, 'SIGSTOP')
      t.ok(await until(() => isStopped(service.pid)))
      t.ok(await until(() => processesWith('sleep 0.4071').length === 0), 'it has ended')
      await sleep(1000) // past its deadline, whenever it began
      process.kill(service.pid, 'SIGCONT')
      t.match(await ending, { status: 'completed', stdout: 'ok\n' }, SHELLPHONE_SPAWNER)
      await socket.close()
      await service.stop()
    }
  },
)
