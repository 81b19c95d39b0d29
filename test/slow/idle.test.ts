import { existsSync, readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { soon, startService, until } from '../support/helper.ts'
import { turnsOf } from '../support/raw-client.ts'

const skip = existsSync('/proc/self/task') ? false : 'wake-ups are counted from /proc'
/** Real time, during which nothing must happen. */
const WINDOW_MS = 3000

const childrenOf = (pid: number): number[] => {
  const own = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return own.flatMap((child) => [child, ...childrenOf(child)])
}

/** How often the threads of this process and of those that it started have gone to sleep since their start; NaN: one has ended. */
function sleepsOf(pid: number): number {
  try {
    const threads = [pid, ...childrenOf(pid)].flatMap((pid) =>
      readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`),
    )
    const counts = threads.map((path) =>
      /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`${path}/status`, 'utf8')),
    )
    return counts.reduce((sum, count) => sum + Number(count![1]), 0)
  } catch {
    return Number.NaN
  }
}

t.test('an idle service does not wake up', { skip }, async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const counts: number[] = []
  /** Waits until V8 has collected its garbage after a start or a burst. */
  const becomesQuiet = () =>
    until(async () => {
      const before = sleepsOf(service.pid)
      await new Promise((resolve) => setTimeout(resolve, WINDOW_MS))
      counts.push(sleepsOf(service.pid) - before)
      return counts.at(-1)! <= 1
    })
  const close = { connection: 'close' }
  t.ok(await becomesQuiet(), `fresh: ${counts.splice(0).join(', ')} wake-ups in ${WINDOW_MS} ms`)
  await (await service.post('/exec', { command: 'echo hi' }, close)).text()
  await (await service.request('/metrics', { headers: close })).text()
  t.ok(await becomesQuiet(), `after a command and /metrics: ${counts.splice(0).join(', ')}`)
  const socket = await service.socket()
  t.ok(await becomesQuiet(), `with a WebSocket: ${counts.splice(0).join(', ')}`)
  await socket.close()
})

t.test('gives memory back after work, and still answers', { skip }, async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const residentMib = () => service.rssBytes() / 1024 / 1024
  for (let runs = 0; runs < 1200; runs += 8) {
    await Promise.all(Array.from({ length: 8 }, () => service.exec({ command: 'true' })))
  }
  const busyMib = residentMib()
  t.ok(await until(() => residentMib() < busyMib - 10), `${busyMib} MiB, then ${residentMib()}`)
  await soon(turnsOf(service)) // meanwhile the inspector session of the collector is closed
  t.equal((await soon(service.exec({ command: 'echo hi' }))).stdout, 'hi\n')
})
