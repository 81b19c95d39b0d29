import { createHash } from 'node:crypto'
import t from 'tap'
import WebSocket from 'ws'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { startService, until } from '../support/helper.ts'
import { turnsOf } from '../support/raw-client.ts'
import { sseEvents } from '../support/sse.ts'

const MiB = 1_048_576
const service = await startService()
t.teardown(() => service.stop())

const record = async (id: string, wait = 0) =>
  (await (await service.request(`/runs/${id}?wait_seconds=${wait}`)).json()) as ExecRecord
/** Starts a run in the background; resolves with its id. */
async function background(body: object): Promise<string> {
  return ((await (await service.post('/exec', { ...body, background: true })).json()) as ExecRecord).id
}

t.test('400 MiB of stdin to a reader that does not read: memory stays bounded', async (t) => {
  const id = await background({ command: 'echo up; sleep 7241', stdin: 'open' })
  await until(async () => (await record(id)).stdout_bytes > 0)
  const data = 'x'.repeat(MiB)
  const idle = service.rssBytes()
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, service.rssBytes())
  }, 20)
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws`, {
    headers: { authorization: `Bearer ${service.token}` },
  })
  await new Promise((resolve) => socket.once('open', resolve))
  const text = JSON.stringify({ type: 'stdin', id, data })
  for (let n = 0; n < 400; n++) socket.send(text)
  // the service has read all it will when the sent bytes no longer change
  let before = -1
  await until(async () => {
    const stands = socket.bufferedAmount === before
    before = socket.bufferedAmount
    await turnsOf(service)
    return stands
  })
  t.hasStrict(await service.exec({ command: 'echo others' }), { stdout: 'others\n' })
  // Node 26 collects garbage late; buffered stdin would be 400 MiB
  t.ok(peak - idle < 192 * MiB, `WebSocket: memory grew by ${((peak - idle) / MiB).toFixed(0)} MiB`)
  await service.request(`/runs/${id}`, { method: 'DELETE' })
  t.hasStrict(await record(id, 300), { status: 'canceled' })
  socket.terminate()
  clearInterval(watch)
})

/** Assembles both streams; reports gaps, duplicates and split characters. */
function assembly(t: Subtest) {
  const at: Record<string, number> = { stdout: 0, stderr: 0 }
  const hash = { stdout: createHash('sha256'), stderr: createHash('sha256') }
  return {
    at,
    take(data: { stream?: string; offset?: number; data?: string; encoding?: string }) {
      const stream = data.stream as 'stdout' | 'stderr'
      const bytes = Buffer.from(data.data!, data.encoding as BufferEncoding)
      if (data.offset !== at[stream]) t.fail(`${stream}: offset ${data.offset}, expected ${at[stream]}`)
      if (bytes.length > 65_536) t.fail(`a piece of ${bytes.length} bytes`)
      at[stream]! += bytes.length
      hash[stream].update(bytes)
    },
    digests: () => [hash.stdout.digest('hex'), hash.stderr.digest('hex')],
  }
}
type Subtest = Parameters<Parameters<typeof t.test>[0]>[0]

const lines = (count: number) =>
  `i=0; while [ $i -lt ${count} ]; do i=$((i+1)); echo "line $i grüße 🦊"; [ $((i % 3)) = 0 ] && echo "err $i" >&2; [ $((i % ${count / 10})) = 0 ] && sleep 0.1; done; :`

const LINES = 200_000

t.test('a client that is cut off five times gets 200 000 identical lines', async (t) => {
  let expectedOut = ''
  let expectedErr = ''
  for (let i = 1; i <= LINES; i++) {
    expectedOut += `line ${i} grüße 🦊\n`
    if (i % 3 === 0) expectedErr += `err ${i}\n`
  }
  const digests = [expectedOut, expectedErr].map((text) => createHash('sha256').update(text).digest('hex'))
  const cuts = (total: number) => [...Array(5)].map(() => Math.random() * total).sort((a, b) => a - b)

  t.test('SSE', async (t) => {
    const id = await background({ command: lines(LINES) })
    const { at, take, digests: got } = assembly(t)
    const borders = cuts(expectedOut.length)
    let last = '0.0'
    for (let isOver = false; !isOver;) {
      const gone = new AbortController()
      const response = await service.request(`/runs/${id}/events`, {
        headers: { 'last-event-id': last },
        signal: gone.signal,
      })
      for await (const { event, lastEventId, data } of sseEvents(response)) {
        if (event === 'output') take(data)
        if (event === 'result') {
          isOver = true
          t.hasStrict(data, { status: 'completed', stdout_bytes: at.stdout, stderr_bytes: at.stderr })
        }
        last = lastEventId
        if (borders.length === 0 || at.stdout! < borders[0]!) continue
        borders.shift()
        break
      }
      gone.abort()
    }
    t.strictSame(borders, [], 'cut off five times')
    t.strictSame(got(), digests, 'byte-identical')
  })

  t.test('WebSocket', async (t) => {
    const id = await background({ command: lines(LINES) })
    const { at, take, digests: got } = assembly(t)
    const borders = cuts(expectedOut.length)
    for (let isOver = false; !isOver;) {
      const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws`, {
        headers: { authorization: `Bearer ${service.token}` },
      })
      socket.on('open', () => socket.send(JSON.stringify({ type: 'attach', id, ...at })))
      await new Promise<void>((resolve) => {
        socket.on('message', (text) => {
          const message = JSON.parse(text.toString())
          if (socket.readyState !== WebSocket.OPEN) return
          if (message.type === 'output') take(message)
          if (message.type === 'error') t.fail(text.toString())
          if (message.type === 'result') {
            isOver = true
            t.hasStrict(message, { status: 'completed', stdout_bytes: at.stdout, stderr_bytes: at.stderr })
            return resolve(socket.terminate())
          }
          if (borders.length === 0 || at.stdout! < borders[0]!) return
          borders.shift()
          resolve(socket.terminate())
        })
      })
    }
    t.strictSame(borders, [], 'cut off five times')
    t.strictSame(got(), digests, 'byte-identical')
  })

  t.test('GET output, piece by piece, while it runs', async (t) => {
    const id = await background({ command: lines(LINES) })
    const hash = createHash('sha256')
    for (let offset = 0, eof = false; !eof;) {
      const response = await service.request(
        `/runs/${id}/output?offset=${offset}&limit=${10_000 + Math.floor(Math.random() * 50_000)}`,
      )
      t.equal(response.status, 200)
      const bytes = Buffer.from(await response.arrayBuffer())
      hash.update(bytes)
      offset += bytes.length
      eof = response.headers.get('run-eof') === 'true'
    }
    t.equal(hash.digest('hex'), digests[0])
  })
})
