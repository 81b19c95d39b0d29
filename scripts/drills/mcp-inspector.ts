import { existsSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesWith, type Service, becomes } from '../../test/support/helper.ts'
import { cached } from './cached.ts'
import { check, outputOf } from './mcp-checks.ts'

const SLEEP_SECONDS = 120

/** Runs one of the Inspector's two programs. Returns its output. */
type Program = (name: 'mcp-inspector' | 'mcpdo', args: string[], signal?: AbortSignal) => Promise<string>

/**
 * Tests the MCP Inspector's two programs with the revisions of 2025 and 2026: list, run with progress, cancel, approve, decline, and a run of two
 * minutes. The client of 2025 waits for this run by handle, and that of 2026 follows it as a task. Both programs accept progress but do not print
 * it, so a proxy records it. `folder`: the working directory of commands.
 */
export async function drillInspector(service: Service, folder: string): Promise<void> {
  const modules = cached('inspector', '@modelcontextprotocol/inspector@2.12.0')
  if (!modules) return
  const env = { ...process.env, HOME: folder }
  const program: Program = (name, args, signal) =>
    outputOf([process.execPath, join(modules, '.bin', name), ...args], env, signal)
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

/** A proxy that records the messages of the service to the clients. */
interface Wire {
  url: string
  /** the progress notifications of the run with this token, one per line */
  progressOf(token: string): string
  close(): void
}

async function openWire(port: number): Promise<Wire> {
  let received = ''
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1')
    service.on('data', (chunk) => (received += chunk))
    client.pipe(service).pipe(client)
    client.on('error', () => service.destroy())
    service.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const notification = (token: string) =>
    new RegExp(`"notifications/progress","params":{"progressToken":"${token}".*`, 'g')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    progressOf: (token) => (received.match(notification(token)) ?? []).join('\n'),
    close: () => void server.close(),
  }
}

/** A command that prints two lines and waits a second after each, so that the service reports both before the result. */
const twoLines = 'echo one; sleep 1; echo two; sleep 1'
const bothLines = /"message":"one\\n"[^]*"message":"two\\n"/

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
  check(`${name}: list`, await inspect(era, ['--method', 'tools/list']), /"exec_cancel"/)
  const ran = await inspect(era, [
    ...call('exec', { command: twoLines }),
    '--tool-metadata',
    `progressToken=cli-${era}`,
  ])
  check(`${name}: run`, ran, /"stdout": "one\\ntwo\\n"/)
  check(`${name}: progress`, wire.progressOf(`cli-${era}`), bothLines)
  const gone = new AbortController()
  const mark = `sleep 79.${era.length}`
  const left = inspect(era, call('exec', { command: mark }), gone.signal)
  await becomes(() => processesWith(mark).length > 1, 20_000)
  gone.abort()
  await left
  const isLeft = !(await becomes(() => processesWith(mark).length === 0))
  check(`${name}: Ctrl-C in the middle`, isLeft ? 'a process is left' : 'no process is left', /no process/)
}

/** Tests a run as long as a build. The client waits at most 60 s for a response, and the service 45 s. */
async function drillLong(era: string, inspect: Inspect): Promise<void> {
  const startedAt = performance.now()
  let output = await inspect(era, call('exec', { command: `sleep ${SLEEP_SECONDS}; echo end`, timeout_seconds: 180 }))
  let handles = 0
  while (/"status": "running"/.test(output)) {
    handles++
    output = await inspect(era, call('exec_wait', { id: /"id": "([^"]+)"/.exec(output)?.[1] }))
  }
  const method = era === 'legacy' ? `by handle, after ${handles} calls of exec_wait` : 'as a task'
  const took = `${Math.round((performance.now() - startedAt) / 1000)} s`
  const isRight = era === 'legacy' ? handles > 0 : handles === 0
  check(
    `mcp-inspector, ${era}: a run of two minutes ${method}, ${took}`,
    isRight ? output : `handles: ${handles}`,
    /"stdout": "end\\n"/,
  )
}

type Mcpdo = (args: string[]) => Promise<string>

async function drillMcpdo(era: string, folder: string, mcpdo: Mcpdo, wire: Wire): Promise<void> {
  const name = `mcpdo, ${era}`
  check(`${name}: list`, await mcpdo(['tools/list']), /"exec_cancel"/)
  const withToken = ['--tool-metadata', `progressToken=do-${era}`]
  const ran = await mcpdo(['tools/call', 'exec', `command:=${twoLines}`, ...withToken])
  check(`${name}: run`, ran, /"stdout": "one\\ntwo\\n"/)
  check(`${name}: progress`, wire.progressOf(`do-${era}`), bothLines)
  /** Answers an elicitation form as slowly as a person. */
  const answer = async (command: string, ...words: string[]) => {
    const form = await mcpdo(['tools/call', 'exec', `command:=${command}`])
    await sleep(1200)
    return mcpdo(['elicitation/respond', /"elicitationId": *"([^"]+)"/.exec(form)?.[1] ?? form, ...words])
  }
  check(`${name}: approve`, await answer(`touch ${era}-yes`, 'answer:=once'), /"status": "completed"/)
  check(`${name}: decline`, await answer(`touch ${era}-no`, '--decline'), /approval was refused/)
  check(`${name}: only what was approved ran`, existsSync(join(folder, `${era}-no`)) ? 'ran' : 'did not', /did not/)
}
