/**
 * Compares the service with a bare Fastify server: the time from start to listening, and the resident memory when idle. Also compares a command
 * over POST /mcp (of 2026, and in a session of 2025) with POST /exec. Prints the medians of the ratios of all rounds. Exit code 1 if a bound is
 * exceeded.
 *
 *     npx tsx scripts/drills/drill-price.ts [rounds]
 */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Service, startService } from '../../test/support/helper.ts'
import { initialize, modernMessage } from '../../test/support/mcp/raw.ts'
import { rssMib } from '../bench/bench-idle.ts'

const ROUNDS = Number(process.argv[2] ?? 9)
const CALLS = 100
const WARM_UP = 300
/** After this time, the garbage of the start has been collected. */
const IDLE_MS = 3_000
let isGood = true

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!

function report(what: string, own: number[], others: number[], bound: number, unit: string): void {
  const ratio = median(own.map((value, round) => value / others[round]!))
  if (ratio > bound) isGood = false
  const medians = `${median(own).toFixed(1)} next to ${median(others).toFixed(1)} ${unit}`
  console.log(`${what}: ×${ratio.toFixed(2)}, at most ×${bound} (${medians})`)
}

async function starts(): Promise<void> {
  const bare = { main: 'scripts/bench/bare-fastify.mjs', env: { SHELLPHONE_TOKEN: 'none' } }
  const seen = { ms: [[], []] as [number[], number[]], mib: [[], []] as [number[], number[]] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, options] of [{}, bare].entries()) {
      const service = await startService(options)
      seen.ms[index]!.push(service.startupMs)
      await sleep(IDLE_MS)
      seen.mib[index]!.push(rssMib(service.pid))
      await service.stop()
    }
  }
  report('start to listening, compared with a bare Fastify', ...seen.ms, 1.4, 'ms')
  report('idle resident memory', ...seen.mib, 1.15, 'MiB')
}

interface Reply {
  headers: IncomingHttpHeaders
  body: string
}

/** Sends requests over one connection, with a minimal client. */
function poster({ url, token }: Service, agent: Agent) {
  const accept = 'application/json, text/event-stream'
  const usual = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept }
  return async (path: string, message: object, more: Record<string, string> = {}): Promise<Reply> => {
    const body = JSON.stringify(message)
    const headers = { ...usual, 'content-length': Buffer.byteLength(body), ...more }
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(url + path, { method: 'POST', agent, headers }, resolve)
        .on('error', reject)
        .end(body)
    })
    return { headers: answer.headers, body: await text(answer) }
  }
}

async function calls(): Promise<void> {
  const service = await startService()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const post = poster(service, agent)
  const call = { name: 'exec', arguments: { command: 'true' } }
  const { message, headers } = modernMessage('tools/call', call)
  const session = { 'mcp-session-id': String((await post('/mcp', initialize)).headers['mcp-session-id']) }
  await post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  const old = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }
  const callers = [
    () => post('/exec', { command: 'true' }),
    () => post('/mcp', message, headers),
    () => post('/mcp', old, session),
  ]
  const p50: number[][] = callers.map(() => [])
  for (const call of callers) for (let i = 0; i < WARM_UP; i++) await call()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, call] of callers.entries()) p50[index]!.push(median(await times(call)))
  }
  agent.destroy()
  await service.stop()
  report('POST /mcp of 2026 compared with POST /exec, p50', p50[1]!, p50[0]!, 1.6, 'ms')
  report('POST /mcp in a session of 2025, p50', p50[2]!, p50[0]!, 1.6, 'ms')
}

async function times(send: () => Promise<Reply>): Promise<number[]> {
  const all: number[] = []
  for (let i = 0; i < CALLS; i++) {
    const startedAt = performance.now()
    const { body } = await send()
    all.push(performance.now() - startedAt)
    if (!body.includes('"completed"')) throw new Error(body)
  }
  return all
}

await starts()
await calls()
process.exit(isGood ? 0 : 1)
