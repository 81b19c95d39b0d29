/**
 * What the service costs beside a bare Fastify: start to listening, resident memory when idle. And a command by POST /mcp, of 2026 and in a
 * session of 2025, beside POST /exec. All in turn, ratios of each round, medians of all; ends with 1 where a bound is broken.
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
/** What the start has left is collected by then. */
const IDLE_MS = 3_000
let isGood = true

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!

function tell(what: string, own: number[], others: number[], bound: number, unit: string): void {
  const ratio = median(own.map((value, round) => value / others[round]!))
  if (ratio > bound) isGood = false
  const said = `${median(own).toFixed(1)} beside ${median(others).toFixed(1)} ${unit}`
  console.log(`${what}: ×${ratio.toFixed(2)}, at most ×${bound} (${said})`)
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
  tell('start to listening, beside a bare Fastify', ...seen.ms, 1.4, 'ms')
  tell('idle resident memory', ...seen.mib, 1.15, 'MiB')
}

interface Reply {
  headers: IncomingHttpHeaders
  body: string
}

/** Over one connection that is kept, with as little of a client as can be. */
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
  const ways = [
    () => post('/exec', { command: 'true' }),
    () => post('/mcp', message, headers),
    () => post('/mcp', old, session),
  ]
  const p50: number[][] = ways.map(() => [])
  for (const way of ways) for (let i = 0; i < WARM_UP; i++) await way()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, way] of ways.entries()) p50[index]!.push(median(await times(way)))
  }
  agent.destroy()
  await service.stop()
  tell('POST /mcp of 2026 beside POST /exec, p50', p50[1]!, p50[0]!, 1.6, 'ms')
  tell('POST /mcp in a session of 2025, p50', p50[2]!, p50[0]!, 1.6, 'ms')
}

async function times(way: () => Promise<Reply>): Promise<number[]> {
  const all: number[] = []
  for (let i = 0; i < CALLS; i++) {
    const startedAt = performance.now()
    const { body } = await way()
    all.push(performance.now() - startedAt)
    if (!body.includes('"completed"')) throw new Error(body)
  }
  return all
}

await starts()
await calls()
process.exit(isGood ? 0 : 1)
