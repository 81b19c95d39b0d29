import { existsSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesWith, type Service, until } from '../../test/support/helper.ts'
import { cached } from './cached.ts'
import { say, told } from './mcp-told.ts'

const SLEEP_SECONDS = 120

/** One of the Inspector's two programs, against the service. */
type Program = (name: 'mcp-inspector' | 'mcpdo', args: string[], signal?: AbortSignal) => Promise<string>

/**
 * The MCP Inspector's two programs, in both eras: list, run with progress, cancel, approve, decline, and a run of two minutes, which the
 * client of 2025 waits for by its handle and that of 2026 follows as a task. Both take progress where a token for it is given, and show
 * none of it: it is seen on the wire. `folder`: where commands run.
 */
export async function drillInspector(service: Service, folder: string): Promise<void> {
  const modules = cached('inspector', '@modelcontextprotocol/inspector@2.12.0')
  if (!modules) return
  const env = { ...process.env, HOME: folder }
  const program: Program = (name, args, signal) =>
    say([process.execPath, join(modules, '.bin', name), ...args], env, signal)
  const wire = await openWire(service.port)
  const where = [`${wire.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${service.token}`]
  const inspect: Inspect = (era, args, signal) =>
    program('mcp-inspector', ['--cli', ...where, '--protocol-era', era, ...args], signal)
  await Promise.all(
    ['legacy', 'modern'].map(async (era) => {
      await Promise.all([drillCli(era, inspect, wire), drillLong(era, inspect)])
      await program('mcpdo', ['--connection', era, 'connect', ...where, '--era', era])
      const mcpdo = (args: string[]) => program('mcpdo', ['--format', 'json', '--connection', era, ...args])
      await drillMcpdo(era, folder, mcpdo, wire)
    }),
  )
  await program('mcpdo', ['daemon', 'stop'])
  wire.close()
}

/** What comes to the clients passes here. */
interface Wire {
  url: string
  /** what was told of the run of this progress token */
  progressOf(token: string): string
  close(): void
}

async function openWire(port: number): Promise<Wire> {
  let heard = ''
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1')
    service.on('data', (chunk) => (heard += chunk))
    client.pipe(service).pipe(client)
    client.on('error', () => service.destroy())
    service.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const told = (token: string) => new RegExp(`"notifications/progress","params":{"progressToken":"${token}".*`, 'g')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    progressOf: (token) => (heard.match(told(token)) ?? []).join('\n'),
    close: () => void server.close(),
  }
}

/** Two lines, a second behind each: what comes last is in the answer alone. */
const twoLines = 'echo one; sleep 1; echo two; sleep 1'
const bothTold = /"message":"one\\n"[^]*"message":"two\\n"/

type Inspect = (era: string, args: string[], signal?: AbortSignal) => Promise<string>

const call = (tool: string, args: object) => [
  '--method',
  'tools/call',
  '--tool-name',
  tool,
  '--tool-args-json',
  JSON.stringify(args),
]

async function drillCli(era: string, inspect: Inspect, wire: Wire): Promise<void> {
  const name = `mcp-inspector, ${era}`
  told(`${name}: list`, await inspect(era, ['--method', 'tools/list']), /"exec_cancel"/)
  const ran = await inspect(era, [
    ...call('exec', { command: twoLines }),
    '--tool-metadata',
    `progressToken=cli-${era}`,
  ])
  told(`${name}: run`, ran, /"stdout": "one\\ntwo\\n"/)
  told(`${name}: progress`, wire.progressOf(`cli-${era}`), bothTold)
  const gone = new AbortController()
  const mark = `sleep 79.${era.length}`
  const left = inspect(era, call('exec', { command: mark }), gone.signal)
  await until(() => processesWith(mark).length > 1, 20_000)
  gone.abort()
  await left
  const isLeft = !(await until(() => processesWith(mark).length === 0))
  told(`${name}: Ctrl-C in the middle`, isLeft ? 'a process is left' : 'no process is left', /no process/)
}

/** As long as a build takes: the client's patience is 60 s, ours 45. */
async function drillLong(era: string, inspect: Inspect): Promise<void> {
  const startedAt = performance.now()
  let said = await inspect(era, call('exec', { command: `sleep ${SLEEP_SECONDS}; echo end`, timeout_seconds: 180 }))
  let handles = 0
  while (/"status": "running"/.test(said)) {
    handles++
    said = await inspect(era, call('exec_wait', { id: /"id": "([^"]+)"/.exec(said)?.[1] }))
  }
  const way = era === 'legacy' ? `by handle, ${handles} times told to wait` : 'as a task'
  const took = `${Math.round((performance.now() - startedAt) / 1000)} s`
  const isRight = era === 'legacy' ? handles > 0 : handles === 0
  told(
    `mcp-inspector, ${era}: a run of two minutes ${way}, ${took}`,
    isRight ? said : `handles: ${handles}`,
    /"stdout": "end\\n"/,
  )
}

type Mcpdo = (args: string[]) => Promise<string>

async function drillMcpdo(era: string, folder: string, mcpdo: Mcpdo, wire: Wire): Promise<void> {
  const name = `mcpdo, ${era}`
  told(`${name}: list`, await mcpdo(['tools/list']), /"exec_cancel"/)
  const withToken = ['--tool-metadata', `progressToken=do-${era}`]
  const ran = await mcpdo(['tools/call', 'exec', `command:=${twoLines}`, ...withToken])
  told(`${name}: run`, ran, /"stdout": "one\\ntwo\\n"/)
  told(`${name}: progress`, wire.progressOf(`do-${era}`), bothTold)
  /** A form's answer, as slow as a person. */
  const answer = async (command: string, ...words: string[]) => {
    const asked = await mcpdo(['tools/call', 'exec', `command:=${command}`])
    await sleep(1200)
    return mcpdo(['elicitation/respond', /"elicitationId": *"([^"]+)"/.exec(asked)?.[1] ?? asked, ...words])
  }
  told(`${name}: approve`, await answer(`touch ${era}-yes`, 'answer:=once'), /"status": "completed"/)
  told(`${name}: decline`, await answer(`touch ${era}-no`, '--decline'), /approval was refused/)
  told(`${name}: only what was approved ran`, existsSync(join(folder, `${era}-no`)) ? 'ran' : 'did not', /did not/)
}
