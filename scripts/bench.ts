import { spawn } from 'node:child_process'
import WebSocket from 'ws'
import { type Service, startService } from '../test/helper.ts'
import { httpClient } from './bench-client.ts'

/**
 * Speed as ratios to a yardstick in the same run: a bare child_process.spawn('sh', ['-c', 'true']) awaited to its end.
 * Blocks of all contenders are interleaved, because these machines are noisy. Usage: npm run bench [-- BLOCKS]
 */
const BLOCKS = Number(process.argv[2] ?? 30)
const PER_BLOCK = 40

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

async function block(row: Row): Promise<void> {
  const startedAt = performance.now()
  let left = PER_BLOCK
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
  for (const one of rows) await block(one) // warm up
  for (const one of rows) Object.assign(one, { times: [], wallMs: 0 })
  const cpuBefore = server.cpuMs()
  for (let i = 0; i < BLOCKS; i++) for (const one of rows) await block(one)
  const cpuMs = (server.cpuMs() - cpuBefore) / (BLOCKS * PER_BLOCK * 4)
  print(rows)
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

/** 256 MiB of output: through the service against `sh -c … | cat`, and what memory it took. */
async function flood(server: Service): Promise<void> {
  const command = 'head -c 268435456 /dev/zero | tr "\\0" "x"'
  const client = await httpClient(server.port, server.token, { command, timeout_seconds: 120 })
  const idle = server.rssBytes()
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, server.rssBytes())
  }, 20)
  const pairs: number[] = []
  for (let i = 0; i < 3; i++) {
    const from = performance.now()
    await new Promise((resolve) => spawn('sh', ['-c', `${command} | cat > /dev/null`]).once('close', resolve))
    const between = performance.now()
    await client.request()
    pairs.push((performance.now() - between) / (between - from))
  }
  clearInterval(watch)
  client.close()
  const mib = (bytes: number) => (bytes / 1_048_576).toFixed(0)
  console.log(
    `256 MiB of output: ×${pairs.toSorted((a, b) => a - b)[1]!.toFixed(2)} of \`sh -c … | cat\` (median of 3)`,
  )
  console.log(`resident memory: ${mib(idle)} MiB before, at most ${mib(peak)} MiB during`)
}

async function main(): Promise<void> {
  const server = await startService()
  console.log(
    `Node ${process.version}; start to listening ${server.startupMs.toFixed(0)} ms; idle RSS ${(server.rssBytes() / 1_048_576).toFixed(0)} MiB`,
  )
  await latencies(server)
  await flood(server)
  await server.stop()
}

await main()
