import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import t from 'tap'
import type { ExecRecord } from '../src/schema/index.ts'
import { openSocket, type Service, startService } from './helper.ts'
import { closed, frame, openRaw, openRawWebSocket, pour } from './raw-client.ts'

const MiB = 1_048_576

/** How much the service has grown at most while `act` ran, in MiB. */
async function growthDuring(service: Service, act: () => Promise<unknown>): Promise<number> {
  const before = service.rssBytes()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, service.rssBytes())
  }, 20)
  await act()
  clearInterval(timer)
  return (Math.max(peak, service.rssBytes()) - before) / MiB
}

const requestText = (service: Service, line: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\n${more}\r\n`

async function openMany(count: number, open: () => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let n = 0; n < count; n++) sockets.push((await open()).pause())
  return sockets
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

t.test('who sends and does not read is not read from', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  await service.exec({ command: 'true' })
  const { id } = await service.exec({ command: 'head -c 1048576 /dev/zero', max_length: 10 })
  const ws = () => openRawWebSocket(service.port, service.token)
  const http = () => openRaw(service.port)
  const pings = frame(1, '{"type":"ping"}')
  const output = Buffer.from(requestText(service, `GET /runs/${id}/output`))
  /** [name, connections, how they are opened, what they send, over and over] */
  const rows: [string, number, () => Promise<Socket>, Buffer][] = [
    ['messages', 2, ws, Buffer.concat(Array(2000).fill(pings))],
    ['pings', 2, ws, Buffer.concat(Array(2000).fill(frame(9, 'x'.repeat(100))))],
    ['messages that are wrong', 2, ws, Buffer.concat(Array(2000).fill(frame(1, 'x')))],
    ['pipelined GET /output', 2, http, Buffer.concat(Array(400).fill(output))],
    ['pipelined GET /health', 8, http, Buffer.from('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2000))],
    ['pipelined GET /%', 8, http, Buffer.from('GET /% HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2000))],
  ]
  for (const [name, count, open, piece] of rows) {
    const sockets = await openMany(count, open)
    const grown = await growthDuring(service, async () => {
      await Promise.all(sockets.map((socket) => pour(socket, piece, 24 * MiB)))
      await pause(500)
    })
    t.ok(grown < 64, `${name}: memory grew by ${grown.toFixed(0)} MiB`)
    t.equal((await service.request('/runs?limit=1')).status, 200, `${name}: others are served`)
    for (const socket of sockets) socket.destroy()
  }
})

/** A run whose reply is 900 kB. */
const LARGE = { command: 'read go; head -c 900000 /dev/zero | tr "\\0" x', stdin: 'open', max_length: 1_000_000 }

async function startLarge(service: Service): Promise<{ id: string; end(): Promise<void> }> {
  const { id } = (await (await service.post('/exec', { ...LARGE, background: true })).json()) as ExecRecord
  const end = async () => {
    await service.post(`/runs/${id}/stdin`, { data: 'go\n', end: true })
    await (await service.request(`/runs/${id}?wait_seconds=60`)).text()
  }
  return { id, end }
}

t.test('256 watchers who do not read', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  await service.exec({ command: 'true' })
  const attach = async (id: string) => {
    const socket = await openRawWebSocket(service.port, service.token)
    socket.write(frame(1, JSON.stringify({ type: 'attach', id })))
    return socket
  }
  const events = (id: string) => openRaw(service.port, requestText(service, `GET /runs/${id}/events`))
  const record = (id: string) => openRaw(service.port, requestText(service, `GET /runs/${id}?wait_seconds=60`))
  /** [name, how one is opened, whether the run has ended before] */
  const rows: [string, (id: string) => Promise<Socket>, boolean][] = [
    ['by WebSocket', attach, false],
    ['by WebSocket, after its end', attach, true],
    ['by SSE', events, false],
    ['who wait for the record', record, false],
  ]
  for (const [name, open, isEnded] of rows) {
    const { id, end } = await startLarge(service)
    if (isEnded) await end()
    let sockets: Socket[] = []
    const grown = await growthDuring(service, async () => {
      sockets = await openMany(256, () => open(id))
      if (!isEnded) await end()
      await pause(3000)
    })
    t.ok(grown < 160, `${name}: memory grew by ${grown.toFixed(0)} MiB`)
    t.hasStrict(await service.exec({ command: 'echo others' }), { stdout: 'others\n' }, `${name}: others are served`)
    for (const socket of sockets) socket.destroy()
  }
})

t.test('256 watchers who read get all of it', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const { id, end } = await startLarge(service)
  const sockets = await Promise.all(Array.from({ length: 256 }, () => openSocket(service.url, service.token)))
  const results = sockets.map((socket) => {
    socket.send({ type: 'attach', id })
    const lost = new Promise<null>((resolve) => socket.raw.once('close', () => resolve(null)))
    return Promise.race([socket.next(({ type }) => type === 'result'), lost])
  })
  await end()
  const lengths = (await Promise.all(results)).map((result) => String(result?.stdout).length)
  t.strictSame(new Set(lengths), new Set([900_000]))
  for (const socket of sockets) socket.raw.terminate()
})

t.test('one connection watches 32 runs at once', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const { id, end } = await startLarge(service)
  const socket = await service.socket()
  for (let n = 0; n < 33; n++) socket.send({ type: 'attach', id, ref: `r${n}` })
  const refused = await socket.next(({ type }) => type === 'error')
  t.hasStrict(refused, { ref: 'r32', error: { type: 'rate_limited' } })
  await end()
  for (let n = 0; n < 32; n++) t.ok(await socket.next(({ type, ref }) => type === 'result' && ref === `r${n}`))
  t.hasStrict(await socket.exec('again', { command: 'echo again' }), { stdout: 'again\n' })
  await socket.close()
})

t.test('100 bodies that never end', async (t) => {
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
      const stdin = 'x'.repeat(7 * MiB)
      t.hasStrict(await service.exec({ command: 'wc -c', stdin }), { stdout: `${stdin.length}\n` }, `${name}: another`)
    })
    t.ok(grown < 128, `${name}: memory grew by ${grown.toFixed(0)} MiB`)
    for (const socket of sockets) socket.destroy()
  }
})

t.test('pipelined requests are answered in order, one after the other', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const socket = await openRaw(service.port)
  let heard = ''
  socket.on('data', (data) => {
    heard += data
  })
  const post = (command: string) => {
    const body = JSON.stringify({ command })
    const more = `Accept: text/plain\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    return requestText(service, 'POST /exec', more) + body
  }
  const end = closed(socket)
  socket.write(['sleep 0.2; echo one', 'echo two', 'echo three'].map(post).join(''))
  socket.write(requestText(service, 'GET /health', 'Connection: close\r\n'))
  await end
  t.match(heard, /one[^]*two[^]*three[^]*"status":"ok"/)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const status = await new Promise((resolve) =>
    request({ host: '127.0.0.1', port: service.port, path: '/health', agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    }).end(),
  )
  t.equal(status, 200)
  agent.destroy()
})
