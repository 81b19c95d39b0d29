import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import WebSocket from 'ws'
import { type Service, startService } from '../test/helper.ts'
import { httpClient } from './bench-client.ts'
import { buildPosixSpawn } from './posix-spawn.ts'

/**
 * Speed as ratios to a yardstick in the same run: a bare child_process.spawn('sh', ['-c', 'true']) awaited to its end.
 * Blocks of all contenders are interleaved, because these machines are noisy. Usage: npm run bench [-- BLOCKS]
 */
const BLOCKS = Number(process.argv[2] ?? 30)
const PER_BLOCK = 40
/** … for each row of one at a time; so many for those of eight, that its start and its end count for little */
const PER_BLOCK_OF_EIGHT = 160
/** a service runs for weeks: what is compiled in its first seconds is not what is measured */
const WARM_UP_BLOCKS = 20

type Once = () => Promise<unknown>

interface Row {
  name: string
  concurrency: number
  /** one of `concurrency` workers; each runs one after the other */
  workers: Once[]
  times: number[]
  wallMs: number
}

const bare: Once = () =>
  new Promise((resolve) => spawn('sh', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] }).once('close', resolve))

const perBlock = ({ concurrency }: Row) => (concurrency === 1 ? PER_BLOCK : PER_BLOCK_OF_EIGHT)

async function block(row: Row): Promise<void> {
  const startedAt = performance.now()
  let left = perBlock(row)
  const work = async (once: Once) => {
    while (left-- > 0) {
      const from = performance.now()
      await once()
      row.times.push(performance.now() - from)
    }
  }
  await Promise.all(row.workers.map(work))
  row.wallMs += performance.now() - startedAt
}

function row(name: string, workers: Once[]): Row {
  return { name, concurrency: workers.length, workers, times: [], wallMs: 0 }
}

const percentile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!

/** A WebSocket connection on which one command at a time is run. */
async function socketWorker({ port, token }: Service): Promise<{ once: Once; close: () => void }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } })
  let done: (() => void) | null = null
  socket.on('message', (data) => {
    if (data.toString().startsWith('{"type":"result"')) done?.()
  })
  await new Promise((resolve) => socket.once('open', resolve))
  const once = () =>
    new Promise<void>((resolve) => {
      done = resolve
      socket.send('{"type":"exec","command":"true"}')
    })
  return { once, close: () => socket.close() }
}

async function latencies(server: Service): Promise<void> {
  const clients = await Promise.all(
    Array.from({ length: 8 }, () => httpClient(server.port, server.token, { command: 'true' })),
  )
  const sockets = await Promise.all(Array.from({ length: 8 }, () => socketWorker(server)))
  const eight = <T>(one: T) => Array.from({ length: 8 }, () => one)
  const rows = [
    row('bare spawn', [bare]),
    row('POST /exec', [() => clients[0]!.request()]),
    row('GET /ws exec', [sockets[0]!.once]),
    row('bare spawn', eight(bare)),
    row(
      'POST /exec',
      clients.map((client) => () => client.request()),
    ),
    row(
      'GET /ws exec',
      sockets.map((socket) => socket.once),
    ),
  ]
  for (let i = 0; i < WARM_UP_BLOCKS; i++) for (const one of rows) await block(one)
  for (const one of rows) Object.assign(one, { times: [], wallMs: 0 })
  const cpuBefore = server.cpuMs()
  const loop = row('posix_spawn in C', [() => Promise.resolve()])
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-bench-'))
  const posixSpawn = buildPosixSpawn(folder)
  for (let i = 0; i < BLOCKS; i++) {
    for (const one of rows) await block(one)
    const times = posixSpawn(PER_BLOCK)
    loop.times.push(...times)
    loop.wallMs += times.reduce((sum, ms) => sum + ms)
  }
  rmSync(folder, { recursive: true })
  const cpuMs = (server.cpuMs() - cpuBefore) / (BLOCKS * 2 * (PER_BLOCK + PER_BLOCK_OF_EIGHT))
  print([rows[0]!, loop, ...rows.slice(1)])
  const [own, inC] = [rows[1]!, loop].map(({ times }) => median(times)) as [number, number]
  console.log(`POST /exec, one at a time: p50 ×${(own / inC).toFixed(2)} of the C loop's`)
  console.log(`service CPU per command: ${cpuMs.toFixed(2)} ms`)
  for (const one of [...clients, ...sockets]) one.close()
}

function print(rows: Row[]): void {
  console.log(
    '| what | at once | p50 ms | p99 ms | per second | p50 ratio | p99 ratio | throughput ratio |\n|---|---|---|---|---|---|---|---|',
  )
  for (const one of rows) {
    const yardstick = rows.find((other) => other.concurrency === one.concurrency)!
    const [own, bare] = [one, yardstick].map(({ times, wallMs }) => {
      const sorted = times.toSorted((a, b) => a - b)
      return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), perSecond: (times.length / wallMs) * 1000 }
    }) as [Figures, Figures]
    const ratios = (['p50', 'p99', 'perSecond'] as const).map((key) => `×${(own[key] / bare[key]).toFixed(2)}`)
    console.log(
      `| ${one.name} | ${one.concurrency} | ${own.p50.toFixed(2)} | ${own.p99.toFixed(2)} | ${own.perSecond.toFixed(0)} | ${ratios.join(' | ')} |`,
    )
  }
}

interface Figures {
  p50: number
  p99: number
  perSecond: number
}

const FLOOD = 'head -c 268435456 /dev/zero | tr "\\0" "x"'
const FLOOD_BYTES = 268_435_456
const floodable = { SHELLPHONE_MAX_RUN_SPOOL_BYTES: '536870912' }
const mib = (bytes: number) => (bytes / 1_048_576).toFixed(0)
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const cat: Once = () =>
  new Promise((resolve) => spawn('sh', ['-c', `${FLOOD} | cat > /dev/null`]).once('close', resolve))

/** Five times the yardstick, then `once`; the median of the ratios. */
async function against(yardstick: Once, once: Once): Promise<string> {
  const ratios: number[] = []
  for (let i = 0; i < 5; i++) {
    const from = performance.now()
    await yardstick()
    const between = performance.now()
    await once()
    ratios.push((performance.now() - between) / (between - from))
  }
  return `×${median(ratios).toFixed(2)}`
}

/** 256 MiB of output by POST /exec, and what memory it took; then streamed over WebSocket, every byte. */
async function flood(server: Service): Promise<void> {
  const body = { command: FLOOD, timeout_seconds: 120 }
  const client = await httpClient(server.port, server.token, body)
  const idle = server.rssBytes()
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, server.rssBytes())
  }, 20)
  console.log(`256 MiB of output, POST /exec: ${await against(cat, () => client.request())} of \`sh -c … | cat\``)
  console.log(`resident memory: ${mib(idle)} MiB before, at most ${mib(peak)} MiB during`)
  clearInterval(watch)
  const other = await startService({ env: { ...floodable, SHELLPHONE_SPAWNER: 'child_process' } })
  const otherClient = await httpClient(other.port, other.token, body)
  const ratio = await against(
    () => otherClient.request(),
    () => client.request(),
  )
  console.log(`256 MiB of output, POST /exec through the launcher: ${ratio} of the same through child_process`)
  for (const one of [client, otherClient]) one.close()
  await other.stop()
  console.log(`256 MiB streamed over WebSocket: ${await against(cat, () => streamed(server))} of \`sh -c … | cat\``)
}

async function streamed({ port, token }: Service): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } })
  await new Promise((resolve) => socket.once('open', resolve))
  let bytes = 0
  const ended = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString())
      if (message.type === 'output') bytes += message.data.length
      if (message.type === 'result') resolve()
    })
  })
  socket.send(JSON.stringify({ type: 'exec', command: FLOOD, timeout_seconds: 120 }))
  await ended
  socket.close()
  if (bytes !== FLOOD_BYTES) throw new Error(`${bytes} of ${FLOOD_BYTES} bytes came`)
}

/** From the request to the first byte of output, over WebSocket, against the first byte of a bare spawn. */
async function firstByte({ port, token }: Service): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } })
  await new Promise((resolve) => socket.once('open', resolve))
  const heard = (type: string) =>
    new Promise<void>((resolve) => {
      const look = (data: WebSocket.RawData) => {
        if (!data.toString().startsWith(`{"type":"${type}"`)) return
        socket.off('message', look)
        resolve()
      }
      socket.on('message', look)
    })
  const bareTimes: number[] = []
  const times: number[] = []
  for (let i = 0; i < BLOCKS * 10; i++) {
    const from = performance.now()
    const child = spawn('sh', ['-c', 'echo x'])
    await new Promise((resolve) => child.stdout.once('data', resolve))
    bareTimes.push(performance.now() - from)
    await new Promise((resolve) => child.once('close', resolve))
    const between = performance.now()
    const result = heard('result')
    const output = heard('output')
    socket.send('{"type":"exec","command":"echo x"}')
    await output
    times.push(performance.now() - between)
    await result
  }
  socket.close()
  const [own, bare] = [median(times), median(bareTimes)]
  console.log(
    `first streamed byte over WebSocket: p50 ${own.toFixed(2)} ms, ×${(own / bare).toFixed(2)} of a bare spawn's first byte`,
  )
}

/** What history and the guards cost: services that differ in one thing, interleaved. */
async function costs(): Promise<void> {
  const guards = {
    SHELLPHONE_POLICY: 'strict',
    SHELLPHONE_ALLOWED_COMMANDS: 'true,ls',
    SHELLPHONE_SINGLE_COMMAND: 'true',
    SHELLPHONE_MAX_ACTIONS_PER_HOUR: '1000000',
  }
  const variants: [string, Record<string, string>][] = [
    ['history and spool on', {}],
    ['history and spool off', { SHELLPHONE_HISTORY: 'false' }],
    ['every guard on', guards],
    ['every guard off', { SHELLPHONE_POLICY: 'open' }],
    ['a read-only sandbox', { SHELLPHONE_SANDBOX: 'read-only' }],
    ['child_process', { SHELLPHONE_SPAWNER: 'child_process' }],
  ]
  const services = await Promise.all(variants.map(([, env]) => startService({ env })))
  const clients = await Promise.all(services.map(({ port, token }) => httpClient(port, token, { command: 'true' })))
  const rows = variants.map(([name], i) => row(name, [() => clients[i]!.request()]))
  for (let i = 0; i < WARM_UP_BLOCKS; i++) for (const one of rows) await block(one)
  for (const one of rows) Object.assign(one, { times: [], wallMs: 0 })
  for (let i = 0; i < BLOCKS; i++) for (const one of rows) await block(one)
  const p50 = (index: number) => median(rows[index]!.times)
  console.log(
    `POST /exec p50: history and spool on against off ×${(p50(0) / p50(1)).toFixed(2)}; every guard on against off ×${(p50(2) / p50(3)).toFixed(2)}`,
  )
  console.log(
    `in a read-only sandbox ${(p50(4) - p50(0)).toFixed(2)} ms more than without; through child_process ×${(p50(5) / p50(0)).toFixed(2)} of the launcher`,
  )
  for (const client of clients) client.close()
  for (const service of services) await service.stop()
}

async function main(): Promise<void> {
  const server = await startService({ env: floodable })
  console.log(
    `Node ${process.version}; start to listening ${server.startupMs.toFixed(0)} ms; idle RSS ${mib(server.rssBytes())} MiB`,
  )
  await latencies(server)
  await firstByte(server)
  await flood(server)
  await server.stop()
  await costs()
}

await main()
