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

/** The number of bytes that these processes have written. */
const writtenBytes = (pids: number[]) =>
  pids.reduce((sum, pid) => sum + Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))![1]), 0)

t.test('a stalled reader stops the command and does not fill memory', async (t) => {
  const before = process.memoryUsage.rss()
  const sockets = await Promise.all(Array.from({ length: 8 }, () => socketTo('pixel')))
  for (const socket of sockets) {
    socket.send({ type: 'frames', frames: 'binary' })
    socket.send({ type: 'exec', ref: 'x', command: yes, timeout_seconds: 600, when_full: 'wait' })
    await soon(socket.next(({ type }) => type === 'accepted'))
    socket.raw.pause()
  }
  const phoneBefore = phone.rssBytes()
  const writers = processesWith(yes)
  let written = writtenBytes(writers)
  const isHeldUp = async () => {
    // by then a command that can continue has continued
    for (let n = 0; n < 50; n++) await (await plane.request('/phones/pixel/health')).text()
    const earlier = written
    written = writtenBytes(writers)
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
