import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Service } from '../../test/support/helper.ts'
import { cached } from './cached.ts'
import { check } from './mcp-checks.ts'

/** The JSON Schema of a tool's arguments. */
interface Parameters {
  type: string
  properties: Record<string, unknown>
}
interface ToolList<Tool> {
  tools: Tool[]
  dialects: Record<string, string>
}
type OpenAiTool = { type: 'function'; function: { name: string; description: string; parameters: Parameters } }
type AnthropicTool = { name: string; description: string; input_schema: Parameters }

/** The arguments with which a tool runs one command: a command line, or a program with its arguments. */
const argsOf = (name: string, { properties }: Parameters) =>
  'parameters' in properties ? { command: 'echo', parameters: ['by', name] } : { command: `echo by ${name}` }

/** Sends a tool call to the route of the tool's dialect. Returns the text of the response. */
type Exec = (name: string, input: unknown) => Promise<string>

/** Runs turns of scripted models with the unchanged tools of GET /dialects?format=…, in the Vercel AI SDK and the SDKs of OpenAI and Anthropic. */
export async function drillApis(service: Service): Promise<void> {
  const modules = cached('apis', 'ai@7.0.173', 'openai@7.57.0', '@anthropic-ai/sdk@1.12.0', 'zod@4')
  if (!modules) return
  const require = createRequire(join(modules, '..', 'drill.js'))
  const load = (name: string) => import(pathToFileURL(require.resolve(name)).href)
  const listOf = async <Tool>(format: string, nameOf: (tool: Tool) => string) => {
    const { tools, dialects } = (await (await service.request(`/dialects?format=${format}`)).json()) as ToolList<Tool>
    return { dialects, tools: tools.filter((tool) => !dialects[nameOf(tool)]!.includes('/')) } // dialects of one tool run commands
  }
  const openAi = await listOf<OpenAiTool>('openai-chat', (tool) => tool.function.name)
  const anthropic = await listOf<AnthropicTool>('anthropic', (tool) => tool.name)
  const exec: Exec = async (name, input) =>
    (await service.post(`/exec/${openAi.dialects[name]}`, input, { accept: 'text/plain' })).text()
  await drillAiSdk({ ...(await load('ai')), ...(await load('ai/test')) }, openAi.tools, exec)
  await drillOpenAi((await load('openai')).default, openAi.tools, exec)
  await drillAnthropic((await load('@anthropic-ai/sdk')).default, anthropic.tools, exec)
}

/** Imports a package without types, because the project does not depend on it. */
type Library = any

async function drillAiSdk(ai: Library, openAi: OpenAiTool[], exec: Exec): Promise<void> {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  const calls = openAi.map(({ function: { name, parameters } }, index) => ({
    type: 'tool-call',
    toolCallId: `call-${index}`,
    toolName: name,
    input: JSON.stringify(argsOf(name, parameters)),
  }))
  const steps = [
    { content: calls, finishReason: { unified: 'tool-calls' }, usage, warnings: [] },
    { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] },
  ]
  const model = new ai.MockLanguageModelV4({ doGenerate: async () => steps.shift() })
  const tools = Object.fromEntries(
    openAi.map(({ function: { name, description, parameters } }) => [
      name,
      ai.tool({ description, inputSchema: ai.jsonSchema(parameters), execute: (input: unknown) => exec(name, input) }),
    ]),
  )
  const turn = await ai.generateText({ model, tools, prompt: 'Say hello.', stopWhen: ai.stepCountIs(3) })
  const results: { output: string }[] = turn.steps[0].toolResults
  check(`AI SDK: a turn of a scripted model, ${openAi.length} tools`, report(results, openAi.length, turn.text), ALL)
}

const ALL = /^all answered, then: done$/

/** Reports whether every tool responded with its own name, and the model's last message. */
function report(results: { output: string }[], wanted: number, last: string): string {
  const answered = results.filter(({ output }) => /by (?:\w+)/.test(output)).length
  return answered === wanted ? `all answered, then: ${last}` : JSON.stringify(results)
}

/** A scripted API that returns the bodies one after the other and stores the requests. */
async function scripted(...answers: object[]) {
  const bodies: Library[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(body)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers.shift()))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, stop: () => server.close() }
}

async function drillOpenAi(OpenAi: Library, tools: OpenAiTool[], exec: Exec): Promise<void> {
  const calls = tools.map(({ function: { name, parameters } }, index) => ({
    id: `call-${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(argsOf(name, parameters)) },
  }))
  const choice = (message: object, reason: string) => ({ choices: [{ index: 0, message, finish_reason: reason }] })
  const api = await scripted(
    choice({ role: 'assistant', content: null, tool_calls: calls }, 'tool_calls'),
    choice({ role: 'assistant', content: 'done' }, 'stop'),
  )
  const client = new OpenAi({ apiKey: 'none', baseURL: api.baseURL })
  const messages: object[] = [{ role: 'user', content: 'Say hello.' }]
  const first = await client.chat.completions.create({ model: 'scripted', tools, messages })
  const results = await Promise.all(
    first.choices[0].message.tool_calls.map(async (call: Library) => ({
      id: call.id,
      output: await exec(call.function.name, JSON.parse(call.function.arguments)),
    })),
  )
  messages.push(
    first.choices[0].message,
    ...results.map(({ id, output }) => ({ role: 'tool', tool_call_id: id, content: output })),
  )
  const last = await client.chat.completions.create({ model: 'scripted', tools, messages })
  check('OpenAI SDK: a turn with unchanged tools', report(results, tools.length, last.choices[0].message.content), ALL)
  check('OpenAI: its API accepts each tool', faultsOf(api.bodies[0].tools.map(openAiShape)), /^none$/)
  api.stop()
}

async function drillAnthropic(Anthropic: Library, tools: AnthropicTool[], exec: Exec): Promise<void> {
  const calls = tools.map(({ name, input_schema }, index) => ({
    type: 'tool_use',
    id: `toolu_${index}`,
    name,
    input: argsOf(name, input_schema),
  }))
  const message = (content: object[], reason: string) => ({
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: reason,
  })
  const api = await scripted(message(calls, 'tool_use'), message([{ type: 'text', text: 'done' }], 'end_turn'))
  const client = new Anthropic({ apiKey: 'none', baseURL: api.baseURL })
  const messages: object[] = [{ role: 'user', content: 'Say hello.' }]
  const request = { model: 'scripted', max_tokens: 100, tools }
  const first = await client.messages.create({ ...request, messages })
  const results = await Promise.all(
    first.content.map(async ({ id, name, input }: Library) => ({ id, output: await exec(name, input) })),
  )
  const content = results.map(({ id, output }) => ({ type: 'tool_result', tool_use_id: id, content: output }))
  messages.push({ role: 'assistant', content: first.content }, { role: 'user', content })
  const last = await client.messages.create({ ...request, messages })
  check('Anthropic SDK: a turn with unchanged tools', report(results, tools.length, last.content[0].text), ALL)
  check('Anthropic: its API accepts each tool', faultsOf(api.bodies[0].tools.map(anthropicShape)), /^none$/)
  api.stop()
}

/** The documented requirements of both APIs for a tool: its keys, its name, an object of arguments. */
const openAiShape = ({ type, function: { name, description, parameters, ...more }, ...others }: Library) =>
  type === 'function' && isTool(name, description, parameters, { ...more, ...others })
const anthropicShape = ({ name, description, input_schema: schema, ...more }: Library) =>
  isTool(name, description, schema, more)

const isTool = (name: string, description: string, schema: Parameters, more: object) =>
  /^[a-zA-Z0-9_-]{1,64}$/.test(name) &&
  description.length <= 1024 &&
  schema.type === 'object' &&
  Object.keys(more).length === 0

const faultsOf = (good: boolean[]) => (good.every((one) => one) ? 'none' : `rejected: ${JSON.stringify(good)}`)
