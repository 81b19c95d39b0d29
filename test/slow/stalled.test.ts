import type { Socket } from 'node:net'
import t from 'tap'
import { startService, until } from '../support/helper.ts'
import {
  frame,
  growthDuring,
  inKernel,
  isClosed,
  MiB,
  openMany,
  openRaw,
  openRawWebSocket,
  pour,
  requestText,
  turnsOf,
} from '../support/raw-client.ts'

t.test('the service stops reading from clients that do not read', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  await service.exec({ command: 'true' })
  const { id } = await service.exec({ command: 'head -c 1048576 /dev/zero', max_length: 10 })
  const ws = () => openRawWebSocket(service.port, service.token)
  const http = () => openRaw(service.port)
  const pings = frame(1, '{"type":"ping"}')
  const output = Buffer.from(requestText(service, `GET /runs/${id}/output`))
  /** More than the kernel buffers for a connection, so it cannot all be accepted unless the service reads. */
  const endless = 32
  /** A connection that the service no longer reads accepts less than this; one that it reads accepts everything. */
  const MAX_TAKEN_BYTES = 8 * MiB
  /** [name, number of connections, how to open one, the data that each sends repeatedly, the maximum in MiB each] */
  const rows: [string, number, () => Promise<Socket>, Buffer, number][] = [
    ['messages', 2, ws, Buffer.concat(Array(2000).fill(pings)), endless],
    ['pings', 2, ws, Buffer.concat(Array(2000).fill(frame(9, 'x'.repeat(100)))), 8],
    ['messages that are wrong', 2, ws, Buffer.concat(Array(2000).fill(frame(1, 'x'))), 8],
    ['pipelined GET /output', 2, http, Buffer.concat(Array(400).fill(output)), endless],
    ['pipelined GET /health', 8, http, Buffer.from('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2000)), 2],
    ['pipelined GET /%', 8, http, Buffer.from('GET /% HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2000)), 2],
  ]
  for (const [name, count, open, piece, maxMiB] of rows) {
    const sockets = await openMany(count, open)
    let poured: number[] = []
    const grown = await growthDuring(service, async () => {
      poured = await Promise.all(sockets.map((socket) => pour(socket, piece, maxMiB * MiB, service)))
      await turnsOf(service)
    })
    if (maxMiB === endless) {
      const taken = () => sockets.map((socket) => socket.bytesWritten - inKernel(socket))
      let [before, now] = [[Infinity], taken()]
      for (; String(now) !== String(before) && Math.max(...now) < MAX_TAKEN_BYTES; now = taken()) {
        before = now
        await turnsOf(service)
      }
      t.ok(Math.max(...now) < MAX_TAKEN_BYTES, `${name}: ${now} bytes of ${poured} are taken, and no more`)
      t.notOk(sockets.some(isClosed), `${name}: nobody is cut for it`)
    }
    t.ok(grown < 64, `${name}: memory grew by ${grown.toFixed(0)} MiB`)
    t.equal((await service.request('/runs?limit=1')).status, 200, `${name}: others are served`)
    for (const socket of sockets) socket.destroy()
  }
})

t.test('survives 100 endless bodies', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  await service.exec({ command: 'true' })
  const length = 8 * MiB - 1000
  const head = requestText(service, 'POST /exec', `Content-Type: application/json\r\nContent-Length: ${length}\r\n`)
  const http = () => openRaw(service.port, head)
  const ws = async () => {
    const socket = await openRawWebSocket(service.port, service.token)
    socket.write(frame(1, '', length))
    return socket
  }
  for (const [name, open] of [
    ['POST', http],
    ['WebSocket', ws],
  ] as [string, () => Promise<Socket>][]) {
    const sockets = await openMany(100, open)
    const piece = Buffer.alloc(262_144, 'é')
    const grown = await growthDuring(service, async () => {
      await Promise.all(sockets.map((socket) => pour(socket, piece, length - piece.length)))
      const held = () => sockets.filter((socket) => !isClosed(socket)).length
      t.ok(await until(() => held() <= 8), `${name}: ${held()} bodies of 8 MiB are held`)
      const stdin = 'x'.repeat(7 * MiB)
      t.hasStrict(await service.exec({ command: 'wc -c', stdin }), { stdout: `${stdin.length}\n` }, `${name}: another`)
    })
    // plus Buffers that V8 has not collected yet (up to 64 MiB)
    t.ok(grown < 192, `${name}: memory grew by ${grown.toFixed(0)} MiB`)
    for (const socket of sockets) socket.destroy()
  }
})
