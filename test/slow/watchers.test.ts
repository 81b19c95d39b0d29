import type { Socket } from 'node:net'
import t from 'tap'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { openSocket, type Service, startService } from '../support/helper.ts'
import {
  frame,
  growthDuring,
  openMany,
  openRaw,
  openRawWebSocket,
  requestText,
  turnsOf,
} from '../support/raw-client.ts'

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

/** 256 responses of 900 kB would be 225 MiB; watchers at the same offset share one. */
const MAX_GROWTH_MIB = 192

t.test('bounds the memory of 256 stalled watchers', async (t) => {
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
  /** [name, how to open one, whether the run has already ended] */
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
      await turnsOf(service)
    })
    t.ok(grown < MAX_GROWTH_MIB, `${name}: memory grew by ${grown.toFixed(0)} MiB`)
    t.hasStrict(await service.exec({ command: 'echo others' }), { stdout: 'others\n' }, `${name}: others are served`)
    for (const socket of sockets) socket.destroy()
  }
})

t.test('128 watchers get everything', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const { id, end } = await startLarge(service)
  const sockets = await Promise.all(Array.from({ length: 128 }, () => openSocket(service.url, service.token)))
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
