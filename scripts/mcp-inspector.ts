import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesWith, type Service, until } from '../test/helper.ts'
import { cached } from './cached.ts'
import { say, told } from './mcp-told.ts'

const SLEEP_SECONDS = 120

/** One of the Inspector's two programs, against the service. */
type Program = (name: 'mcp-inspector' | 'mcpdo', args: string[], signal?: AbortSignal) => Promise<string>

/**
 * The MCP Inspector's two programs, in both eras: list, run, cancel, approve, decline, and a run of two minutes, which the client of 2025
 * waits for by its handle and that of 2026 follows as a task. Neither ever asks for progress. `folder`: where commands run.
 */
export async function drillInspector(service: Service, folder: string): Promise<void> {
  const modules = cached('inspector', '@modelcontextprotocol/inspector@2.12.0')
  if (!modules) return
  const env = { ...process.env, HOME: folder }
  const program: Program = (name, args, signal) =>
    say([process.execPath, join(modules, '.bin', name), ...args], env, signal)
  const where = [`${service.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${service.token}`]
  const inspect: Inspect = (era, args, signal) =>
    program('mcp-inspector', ['--cli', ...where, '--protocol-era', era, ...args], signal)
  await Promise.all(
    ['legacy', 'modern'].map(async (era) => {
      await Promise.all([drillCli(era, inspect), drillLong(era, inspect)])
      await program('mcpdo', ['--connection', era, 'connect', ...where, '--era', era])
      await drillMcpdo(era, folder, (args) => program('mcpdo', ['--format', 'json', '--connection', era, ...args]))
    }),
  )
  await program('mcpdo', ['daemon', 'stop'])
}

type Inspect = (era: string, args: string[], signal?: AbortSignal) => Promise<string>

const call = (tool: string, args: object) => [
  '--method',
  'tools/call',
  '--tool-name',
  tool,
  '--tool-args-json',
  JSON.stringify(args),
]

async function drillCli(era: string, inspect: Inspect): Promise<void> {
  const name = `mcp-inspector, ${era}`
  told(`${name}: list`, await inspect(era, ['--method', 'tools/list']), /"exec_cancel"/)
  const ran = await inspect(era, call('exec', { command: 'echo one; echo two' }))
  told(`${name}: run`, ran, /"stdout": "one\\ntwo\\n"/)
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

async function drillMcpdo(era: string, folder: string, mcpdo: (args: string[]) => Promise<string>): Promise<void> {
  const name = `mcpdo, ${era}`
  told(`${name}: list`, await mcpdo(['tools/list']), /"exec_cancel"/)
  told(`${name}: run`, await mcpdo(['tools/call', 'exec', 'command:=echo one']), /"stdout": "one\\n"/)
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
