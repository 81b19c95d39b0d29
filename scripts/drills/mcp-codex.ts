import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { Service } from '../../test/support/helper.ts'
import { bridgeTo } from '../../test/slow/mcp/clients.ts'
import { cached } from './cached.ts'
import { check, outputOf } from './mcp-checks.ts'

interface Tool {
  type: string
  name: string
  tools?: Tool[]
}
interface Item {
  type: string
  call_id?: string
  output?: unknown
}

/** Runs a complete turn of `codex exec`, in which a scripted model finds our tool through `shellphone mcp`, calls it, and reads the result. */
export async function drillCodex(service: Service): Promise<void> {
  const modules = cached('codex', '@openai/codex@0.169.0')
  if (!modules) return
  const folder = mkdtempSync(join(tmpdir(), 'drill-codex-'))
  const requests: { tools: Tool[]; input: Item[] }[] = []
  const model = createServer((request, response) => void answer(request, response, requests)).listen(0, '127.0.0.1')
  await new Promise((resolve) => model.once('listening', resolve))
  const { port } = model.address() as AddressInfo
  const env = { ...process.env, HOME: folder, CODEX_HOME: join(folder, 'codex'), DRILL_KEY: 'none' }
  mkdirSync(env.CODEX_HOME)
  writeFileSync(join(env.CODEX_HOME, 'config.toml'), configOf(service, port))
  const argv = [
    process.execPath,
    join(modules, '.bin/codex'),
    'exec',
    '--skip-git-repo-check',
    '-C',
    folder,
    'Say hello.',
  ]
  const output = await outputOf(argv, env)
  const results = requests.flatMap(({ input }) => input.filter(({ type }) => type === 'function_call_output'))
  check('codex exec: a turn of a scripted model', JSON.stringify(results), /by codex/)
  check('codex exec: its last message', output, /the phone has answered/)
  model.close()
  rmSync(folder, { recursive: true, force: true })
}

function configOf(service: Service, port: number): string {
  const { command, args, env } = bridgeTo(service)
  return [
    'model = "scripted"',
    'model_provider = "drill"',
    'approval_policy = "never"',
    '[model_providers.drill]',
    'name = "drill"',
    `base_url = "http://127.0.0.1:${port}/v1"`,
    'env_key = "DRILL_KEY"',
    'wire_api = "responses"',
    'supports_websockets = false',
    '[mcp_servers.phone]',
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    'default_tools_approval_mode = "approve"',
    'startup_timeout_sec = 60',
    'required = true',
    '[mcp_servers.phone.env]',
    ...Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    '',
  ].join('\n')
}

/** A scripted model that calls our exec and then ends its turn. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: { tools: Tool[]; input: Item[] }[],
) {
  if (request.method !== 'POST') return response.writeHead(404).end()
  const body = (await json(request)) as { tools: Tool[]; input: Item[] }
  requests.push(body)
  const isDone = body.input.some(({ type }) => type === 'function_call_output')
  const item = isDone ? words('the phone has answered') : callOf(body.tools)
  const events = [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.done', output_index: 0, item },
    {
      type: 'response.completed',
      response: { id: 'r', usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    },
  ]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

const words = (text: string) => ({
  type: 'message',
  role: 'assistant',
  id: 'm',
  content: [{ type: 'output_text', text, annotations: [] }],
})

/** Finds our tool, which is listed directly or in the namespace of its server. */
function callOf(tools: Tool[]) {
  const all = tools.flatMap((tool) => (tool.tools ?? [tool]).map(({ name }) => ({ name, namespace: tool.name })))
  const own = all.find(({ name, namespace }) => /phone/.test(`${namespace}${name}`) && /(^|__)exec$/.test(name))
  const { name = 'none', namespace = name } = own ?? {}
  const base = { type: 'function_call', id: 'f', call_id: 'c', name, arguments: '{"command":"echo by codex"}' }
  return namespace === name ? base : { ...base, namespace }
}
