import { readFileSync } from 'node:fs'
import t from 'tap'
import { openSocket, processesWith, soon, until, wants } from '../support/helper.ts'
import { noBroker } from '../support/nats.ts'
import { startFleet } from '../support/plane.ts'
import { commandOnEachSocket } from '../support/plane-floods.ts'

wants(t, noBroker)

const { plane, phone } = await startFleet(t)
const MIB = 1_048_576
const socketTo = (name: string) => openSocket(`${plane.url}/phones/${name}`, plane.file.token)

/** a unique command line */
const yes = `yes 40.41-${process.pid}`

/** The number of bytes that the processes of the command have written; a process that ends in the meantime counts as 0. */
const writtenBytes = () =>
  processesWith(yes).reduce((sum, pid) => sum + Number(/^wchar: (\d+)/m.exec(ioOf(pid))?.[1] ?? 0), 0)

function ioOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/io`, 'utf8')
  } catch {
    return ''
  }
}

t.test('a stalled reader stops the command and does not fill memory', async (t) => {
  const before = process.memoryUsage.rss()
  const sockets = await Promise.all(Array.from({ length: 3 }, () => socketTo('pixel')))
  for (const socket of sockets) {
    socket.send({ type: 'frames', frames: 'binary' })
    socket.send({ type: 'exec', ref: 'x', command: yes, timeout_seconds: 600, when_full: 'wait' })
    await soon(socket.next(({ type }) => type === 'accepted'))
    socket.raw.pause()
  }
  const phoneBefore = phone.rssBytes()
  let written = writtenBytes()
  const isHeldUp = async () => {
    // by then a command that can continue has continued
    for (let n = 0; n < 10; n++) await (await plane.request('/phones/pixel/health')).text()
    const earlier = written
    written = writtenBytes()
    return written > 0 && written === earlier
  }
  t.ok(await until(isHeldUp), 'the command writes nothing more')
  const grown = (process.memoryUsage.rss() - before) / MIB
  const phoneGrown = (phone.rssBytes() - phoneBefore) / MIB
  t.comment(`plane grew by ${grown.toFixed(0)} MiB, the phone by ${phoneGrown.toFixed(0)} MiB`)
  t.ok(grown < 100, 'at most a window each, plus uncollected garbage')
  t.ok(phoneGrown < 100)
  for (const { raw } of sockets) raw.terminate()
  t.ok(await until(() => processesWith(yes).length === 0), 'a caller that leaves cancels its command')
})

t.test('opens 100 sockets to one phone', (t) =>
  commandOnEachSocket(t, { plane, name: 'pixel', phone, count: 100, mostLeft: 20 }),
)
