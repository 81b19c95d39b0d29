import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setPriority } from 'node:os'
import WebSocket from 'ws'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { type Service, startService } from '../../test/support/helper.ts'

/**
 * Follows one run with a large output with 50 watchers, half over SSE and half over WebSocket. 45 of them stop reading. The other 5 must get every
 * byte, memory must stay bounded, and the command must not slow down.
 *
 *     npx tsx scripts/drills/drill-watchers.ts [MiB] [rounds]       exit code 1 if a bound is exceeded
 */
const MIB = Number(process.argv[2] ?? 256)
const ROUNDS = Number(process.argv[3] ?? 3)
const MiB = 1_048_576
const STALLED = 45
const READING = 5
/** The maximum memory growth, whatever the size of the output. A stalled reader uses at most 1 MiB in the service; the spool stores the rest. */
const MAX_GROWTH_MIB = 384
/** The maximum slowdown of the command. Five readers cost CPU time, also on the cores that the command uses, but must not make it wait. */
const MAX_RATIO = 4

const bytes = MIB * MiB
/** A command that waits for a line, so that all watchers are connected before the first byte. It measures its own time (ns), so that ours does not count. */
const flood = `yes "a line of this flood, öäü 🦊 0123456789" | head -c ${bytes}`
const command = `read go; date +%s%N >&2; ${flood}; date +%s%N >&2`
let broken = 0
function figure(name: string, value: string, isGood = true): void {
  if (!isGood) broken++
  console.log(`${isGood ? '  ' : '! '}${name}: ${value}`)
}

interface Event {
  type: string
  stream?: string
  offset?: number
  data?: string
  encoding?: BufferEncoding
}
interface Watcher {
  /** resolves with the sha256 of the received stdout, or with an error message */
  whole: Promise<string>
  stall(): void
  close(): void
}

/** Assembles stdout by its offsets. */
function assembly(): { take(event: Event): boolean; verdict(): string } {
  const hash = createHash('sha256')
  let at = 0
  let fault = ''
  return {
    take({ type, stream, offset, data, encoding }) {
      if (type === 'output' && stream === 'stdout') {
        const piece = Buffer.from(data!, encoding)
        if (offset !== at && !fault) fault = `offset ${offset}, expected ${at}`
        at += piece.length
        hash.update(piece)
      }
      return type === 'result'
    },
    verdict: () => fault || hash.digest('hex'),
  }
}

async function watchBySocket({ url, token }: Service, id: string): Promise<Watcher> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { authorization: `Bearer ${token}` } })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'attach', id }))
  const { take, verdict } = assembly()
  const whole = new Promise<string>((resolve) => {
    socket.on('message', (text) => {
      if (take(JSON.parse(text.toString()) as Event)) resolve(verdict())
    })
    socket.on('close', () => resolve('closed before the result'))
  })
  return { whole, stall: () => socket.pause(), close: () => socket.terminate() }
}

async function watchByEvents({ port, token }: Service, id: string): Promise<Watcher> {
  const headers = { authorization: `Bearer ${token}` }
  const asked = request({ host: '127.0.0.1', port, path: `/runs/${id}/events`, headers, agent: false }).end()
  asked.on('error', () => {})
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const { take, verdict } = assembly()
  let rest = ''
  const whole = new Promise<string>((resolve) => {
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const [, type, data] = /^event: (.*)\n(?:id: .*\n)?data: (.*)$/.exec(block) ?? []
        if (type && take({ type, ...(JSON.parse(data!) as object) })) resolve(verdict())
      }
    })
    response.on('close', () => resolve('closed before the result'))
  })
  return { whole, stall: () => response.pause(), close: () => asked.destroy() }
}

/** Runs the flood once. Resolves with its duration and the watchers' results. */
async function floodWatchedBy(service: Service, count: number) {
  const accepted = await service.post('/exec', { command, stdin: 'open', background: true })
  const { id } = (await accepted.json()) as { id: string }
  const watchers: Watcher[] = []
  for (let n = 0; n < count; n++) watchers.push(await (n % 2 ? watchBySocket : watchByEvents)(service, id))
  for (const { stall } of watchers.slice(READING)) stall()
  const idle = service.rssBytes()
  let peak = idle
  const look = setInterval(() => {
    peak = Math.max(peak, service.rssBytes())
  }, 20)
  await service.post(`/runs/${id}/stdin`, { data: 'go\n', end: true })
  const record = await ended(service, id)
  const [from = 0, to = 0] = record.stderr.split('\n').map(Number)
  const seconds = (to - from) / 1e9
  const seen = await Promise.all(watchers.slice(0, READING).map(({ whole }) => whole))
  clearInterval(look)
  for (const { close } of watchers) close()
  return { record, seconds, seen, growth: (peak - idle) / MiB }
}

async function ended(service: Service, id: string): Promise<ExecRecord> {
  for (;;) {
    const record = (await (await service.request(`/runs/${id}?wait_seconds=60`)).json()) as ExecRecord
    if (record.ended_at !== null) return record
  }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!

async function main(): Promise<void> {
  const service = await startService({ env: { SHELLPHONE_MAX_RUN_SPOOL_BYTES: String(bytes * 2) } })
  setPriority(10) // lowers the priority of this thread, so that reading does not slow the service down
  await floodWatchedBy(service, 0)
  const alone: number[] = []
  const watched: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    alone.push((await floodWatchedBy(service, 0)).seconds)
    const { record, seconds, seen, growth } = await floodWatchedBy(service, STALLED + READING)
    watched.push(seconds)
    console.log(`round ${round + 1}: ${MIB} MiB, ${STALLED + READING} watchers, ${STALLED} of them stalled`)
    figure(
      'the run',
      `${record.status}, ${record.stdout_bytes} bytes`,
      record.status === 'completed' && record.stdout_bytes === bytes,
    )
    const whole = seen.filter((digest) => digest === record.stdout_sha256).length
    figure(
      `watchers who got every byte`,
      `${whole} of ${READING} ${seen.filter((digest) => digest !== record.stdout_sha256)}`,
      whole === READING,
    )
    figure('peak RSS growth', `${growth.toFixed(1)} MiB`, growth < MAX_GROWTH_MIB)
    const others = await service.exec({ command: 'echo others' })
    figure('others are served', others.stdout.trim(), others.stdout === 'others\n')
  }
  const ratio = median(watched) / median(alone)
  figure(
    'the run alone, watched',
    `${median(alone).toFixed(2)} s, ${median(watched).toFixed(2)} s: ratio ${ratio.toFixed(2)}`,
    ratio < MAX_RATIO,
  )
  await service.stop()
  process.exit(broken > 0 ? 1 : 0)
}

await main()
