import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import {
  createMCPClient,
  experimental_createMCPEventWebhook as createMCPEventWebhook,
  type Experimental_MCPEvent as MCPEvent,
  type Experimental_MCPEventStore as MCPEventStore,
  type Experimental_MCPEventSubscription as MCPEventSubscription,
} from '@ai-sdk/mcp'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError'
import {
  Agent,
  applyPatchTool,
  type Editor,
  Runner,
  type Shell,
  shellTool,
  tool as agentTool,
} from '@openai/agents-core'
import { OpenAIResponsesModel } from '@openai/agents-openai'
import { generateText, isStepCount, jsonSchema, type LanguageModel, tool, type ToolSet } from 'ai'
import OpenAI from 'openai'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import type { DialectAnswer, ExecRecord } from '../../src/shared/schema/index.ts'
import { type Received, reply, startReceiver } from '../server/wake/webhook-world.ts'
import { newFolder } from '../support/folders.ts'
import { type Service, startService, until } from '../support/helper.ts'
import { LAST_TEXT, type ModelResult, startScriptedModel, type Turn } from '../support/scripted-model.ts'
import { sseEvents } from '../support/sse.ts'

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** The build that the models start: it ends when the file `go` exists. */
const BUILD = 'until [ -e go ]; do sleep 0.05; done; cat name greeting > built; echo "built $MODE"'

interface World {
  folder: string
  project: string
  service: Service
  receiver: Awaited<ReturnType<typeof startReceiver>>
  /** the id of the build's run; the ends of earlier runs may be reported later than its start */
  build?: string
}

/** A project with one file, and a service with a receiver of webhooks. */
async function openWorld(t: Test, env: Record<string, string> = {}): Promise<World> {
  const folder = newFolder(t, 'agent-sdks')
  const project = join(folder, 'project')
  const receiver = await startReceiver(reply(200))
  const service = await startService({
    env: {
      SHELLPHONE_WORKING_DIRECTORY: folder,
      SHELLPHONE_WEBHOOK_HOSTS: JSON.stringify([receiver.host]),
      ...env,
    },
  })
  t.teardown(() => Promise.all([service.stop(), receiver.close()]))
  await service.exec({ command: 'mkdir project && echo old > project/name' })
  return { folder, project, service, receiver }
}

/** Calls a tool of a dialect, as a program does that lends it to a model. */
async function callTool({ service }: World, dialect: string, tool: string, given: unknown): Promise<DialectAnswer> {
  const response = await service.post(`/exec/${dialect}?tool=${tool}&session=work`, given as object)
  return (await response.json()) as DialectAnswer
}

/** The tools of a dialect as its provider's API defines them. */
async function definitionsOf<Tool>({ service }: World, dialect: string): Promise<Tool[]> {
  const response = await service.request(`/dialects?format=${dialect}&dialect=${dialect}`)
  return ((await response.json()) as { tools: Tool[] }).tools
}

/** Starts the build in the background, in the session of the model. */
async function startBuild(world: World): Promise<string> {
  const response = await world.service.post('/exec', { command: BUILD, session: 'work', background: true })
  world.build = ((await response.json()) as { id: string }).id
  return `started ${world.build}`
}

const outputOf = async ({ service }: World, id: string) =>
  `${id}: ${await (await service.request(`/runs/${id}/output`)).text()}`

/** Waits for the end of the build in the stream of events, which was opened before the build could end. */
async function wakeByEvents(world: World): Promise<string> {
  const response = await world.service.request('/events?types=run.ended')
  writeFileSync(join(world.project, 'go'), '')
  for await (const { data } of sseEvents(response)) {
    const { run_id } = data.data as unknown as { run_id: string }
    if (run_id !== world.build) continue
    await response.body!.cancel().catch(() => {})
    return outputOf(world, run_id)
  }
  throw new Error('the stream of events has ended')
}

/** Waits for the webhook of the build's end, and verifies its signature. */
async function wakeByWebhook(world: World): Promise<string> {
  const { service, receiver, project } = world
  const put = await service.request('/webhooks/model', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, types: ['run.ended'] }),
  })
  const { secret } = (await put.json()) as { secret: string }
  writeFileSync(join(project, 'go'), '')
  const runOf = ({ body, headers }: Received) => {
    const message = new Webhook(secret).verify(body, headers as Record<string, string>) as { data: { run_id: string } }
    return message.data.run_id
  }
  await until(() => receiver.received.some((one) => runOf(one) === world.build))
  return outputOf(world, world.build!)
}

const build = {
  description: 'Start the build in the background',
  parameters: { type: 'object', properties: {} },
} as const
const wait = { description: 'Wait for the build, and read its output', parameters: build.parameters } as const

const runsOf = async (service: Service) =>
  ((await (await service.request('/runs?limit=50')).json()) as { runs: ExecRecord[] }).runs

/** Asserts what the task has left behind: the files, the texts that the model got for the build, and the tools in the records. */
async function checkTask(t: Test, { service, project }: World, results: ModelResult[], dialect: string): Promise<void> {
  t.equal(readFileSync(join(project, 'name'), 'utf8'), 'new\n')
  t.equal(readFileSync(join(project, 'greeting'), 'utf8').trimEnd(), 'hello')
  t.equal(readFileSync(join(project, 'built'), 'utf8').trimEnd(), 'new\nhello')
  const [id] = /(?<=started )\S+/.exec(results.find(({ tool }) => tool === 'start_build')!.text)!
  t.equal(results.find(({ tool }) => tool === 'wait')!.text, `${id}: built fast\n`)
  const own = (await runsOf(service)).filter((run) => run.dialect?.startsWith(dialect)).map((run) => run.dialect)
  t.same(
    new Set(own),
    new Set(
      results.filter(({ tool }) => !['start_build', 'wait'].includes(tool)).map(({ tool }) => `${dialect}/${tool}`),
    ),
  )
}

const EDITOR = 'str_replace_based_edit_tool'
const anthropicTurns = ({ project }: World): Turn[] => [
  [{ tool: 'bash', input: { command: 'cd project; export MODE=fast' } }],
  [
    { tool: EDITOR, input: { command: 'str_replace', path: join(project, 'name'), old_str: 'old', new_str: 'new' } },
    { tool: EDITOR, input: { command: 'create', path: join(project, 'greeting'), file_text: 'hello\n' } },
  ],
  [{ tool: 'start_build', input: {} }],
  [{ tool: 'bash', input: { command: 'ls; pwd; echo $MODE' } }],
  [{ tool: 'wait', input: {} }],
  [{ tool: 'bash', input: { command: 'cat built missing' } }],
]

/** The texts that Anthropic's tools return in the task. */
function checkAnthropicTexts(t: Test, { project }: World, results: ModelResult[]): void {
  const texts = results.filter(({ tool }) => tool === 'bash' || tool === EDITOR)
  t.match(texts, [
    { text: '', isError: false },
    { text: `The file ${project}/name has been edited.`, isError: false },
    { text: `File created successfully at: ${project}/greeting`, isError: false },
    { text: `greeting\nname\n${project}\nfast`, isError: false },
    { text: /^new\nhello\ncat: .*missing/ },
  ])
}

const openaiTurns = (): Turn[] => [
  [
    {
      tool: 'shell',
      input: { action: { commands: ['cd project', 'export MODE=fast'], timeout_ms: null, max_output_length: null } },
    },
  ],
  [
    { tool: 'apply_patch', input: { operation: { type: 'update_file', path: 'name', diff: '@@\n-old\n+new\n' } } },
    { tool: 'apply_patch', input: { operation: { type: 'create_file', path: 'greeting', diff: '+hello\n' } } },
  ],
  [{ tool: 'start_build', input: {} }],
  [
    {
      tool: 'shell',
      input: { action: { commands: ['ls', 'pwd; echo $MODE'], timeout_ms: 60_000, max_output_length: 4096 } },
    },
  ],
  [{ tool: 'wait', input: {} }],
  [
    {
      tool: 'shell',
      input: { action: { commands: ['cat built missing'], timeout_ms: null, max_output_length: null } },
    },
  ],
]

/** The texts that OpenAI's tools return in the task. */
function checkOpenaiTexts(t: Test, { project }: World, results: ModelResult[]): void {
  const outputs = results.filter(({ tool }) => tool === 'shell').map(({ text }) => JSON.parse(text) as unknown)
  const exit = (exit_code: number) => ({ type: 'exit', exit_code })
  t.match(outputs, [
    [{ stdout: '', outcome: exit(0) }, { outcome: exit(0) }],
    [{ stdout: 'greeting\nname\n' }, { stdout: `${project}\nfast\n`, outcome: exit(0) }],
    [{ stdout: 'new\nhello\n', stderr: /missing/, outcome: exit(1) }],
  ])
  const patches = results.filter(({ tool }) => tool === 'apply_patch').map(({ text }) => JSON.parse(text) as unknown)
  t.match(patches, [
    { status: 'completed', output: `updated ${project}/name, hash` },
    { status: 'completed', output: `added ${project}/greeting, hash` },
  ])
}

/** Asserts that the client has sent its model only functions, and tools as the service defines them. */
async function checkDefinitions(t: Test, world: World, { requests }: { requests: object[] }, dialect: string) {
  const { tools } = requests[0] as { tools: { type?: string; name?: string }[] }
  const own = tools.filter(({ type = 'function' }) => type !== 'function' && type !== 'custom')
  const defined = await definitionsOf<{ type: string }>(world, dialect)
  t.equal(own.length, 2)
  for (const tool of own)
    t.match(
      defined.find(({ type }) => type === tool.type),
      tool,
    )
}

async function startModel(t: Test, turns: Turn[]) {
  const model = await startScriptedModel(turns)
  t.teardown(() => model.close())
  return model
}

t.test('@anthropic-ai/sdk: the tool runner uses both tools, and GET /events wakes it', async (t) => {
  const world = await openWorld(t)
  const model = await startModel(t, anthropicTurns(world))
  const client = new Anthropic({ apiKey: 'none', baseURL: model.url, maxRetries: 0 })
  const run = (name: string) => async (input: unknown) => {
    const { is_error, output } = await callTool(world, 'anthropic', name, input)
    if (is_error) throw new ToolError(output)
    return output
  }
  const parse = (input: unknown) => input
  const own = (name: string, description: string, run: () => Promise<string>) => ({
    ...{ name, description, input_schema: build.parameters, run, parse },
  })
  type Definition = Anthropic.ToolBash20250124 | Anthropic.ToolTextEditor20250728
  const definitions = await definitionsOf<Definition>(world, 'anthropic')
  const final = await client.beta.messages.toolRunner({
    model: 'scripted',
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'Build the project.' }],
    tools: [
      ...definitions.map((definition) => ({ ...definition, run: run(definition.name), parse })),
      own('start_build', build.description, () => startBuild(world)),
      own('wait', wait.description, () => wakeByEvents(world)),
    ],
  })
  t.match(final.content, [{ text: LAST_TEXT }])
  checkAnthropicTexts(t, world, model.results)
  t.equal(model.results.at(-1)!.isError, true, 'an exit code other than 0 is an error of bash')
  await checkTask(t, world, model.results, 'anthropic')
})

t.test('openai: a loop over the Responses API uses shell and apply_patch, and a webhook wakes it', async (t) => {
  const world = await openWorld(t)
  const model = await startModel(t, openaiTurns())
  const client = new OpenAI({ apiKey: 'none', baseURL: `${model.url}/v1`, maxRetries: 0 })
  const functionTool = (name: string, { description, parameters }: typeof build | typeof wait) =>
    ({ type: 'function', name, description, parameters, strict: false }) as const
  const outputOfCall = async (
    item: OpenAI.Responses.ResponseOutputItem,
  ): Promise<OpenAI.Responses.ResponseInputItem> => {
    if (item.type === 'shell_call') {
      const { output } = await callTool(world, 'openai', 'shell', { action: item.action })
      const { output: outputs, max_output_length } = JSON.parse(output)
      return { type: 'shell_call_output', call_id: item.call_id, output: outputs, max_output_length }
    }
    if (item.type === 'apply_patch_call') {
      const { output } = await callTool(world, 'openai', 'apply_patch', { operation: item.operation })
      return { type: 'apply_patch_call_output', call_id: item.call_id, ...JSON.parse(output) }
    }
    if (item.type !== 'function_call') throw new Error(`unexpected ${item.type}`)
    const output = await (item.name === 'wait' ? wakeByWebhook : startBuild)(world)
    return { type: 'function_call_output', call_id: item.call_id, output }
  }
  const definitions = await definitionsOf<OpenAI.Responses.Tool>(world, 'openai')
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Build the project.' }]
  for (;;) {
    const response = await client.responses.create({
      model: 'scripted',
      input,
      tools: [...definitions, functionTool('start_build', build), functionTool('wait', wait)],
    })
    if (response.output_text !== '') {
      t.equal(response.output_text, LAST_TEXT)
      break
    }
    input.push(...(response.output as OpenAI.Responses.ResponseInput))
    input.push(...(await Promise.all(response.output.map(outputOfCall))))
  }
  checkOpenaiTexts(t, world, model.results)
  await checkTask(t, world, model.results, 'openai')
})

interface OpenaiOutput {
  stdout: string
  stderr: string
  outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' }
}

/** Calls shell, and returns the result with the names of the AI SDK and the Agents SDK. */
async function callShell(world: World, action: unknown) {
  const { output } = await callTool(world, 'openai', 'shell', { action })
  const { output: outputs } = JSON.parse(output) as { output: OpenaiOutput[] }
  return {
    output: outputs.map(({ stdout, stderr, outcome }) => ({
      stdout,
      stderr,
      outcome: outcome.type === 'exit' ? { type: outcome.type, exitCode: outcome.exit_code } : outcome,
    })),
  }
}

async function callPatch(
  world: World,
  operation: unknown,
): Promise<{ status: 'completed' | 'failed'; output: string }> {
  return JSON.parse((await callTool(world, 'openai', 'apply_patch', { operation })).output)
}

/** The two functions beside the provider's own tools, for the AI SDK. */
const aiFunctions = (world: World, wake: (world: World) => Promise<string>) => ({
  start_build: tool({
    description: build.description,
    inputSchema: jsonSchema(build.parameters),
    execute: () => startBuild(world),
  }),
  wait: tool({ description: wait.description, inputSchema: jsonSchema(wait.parameters), execute: () => wake(world) }),
})

/** Lets the AI SDK run the scripted model with these tools. */
const generate = (model: LanguageModel, tools: ToolSet) =>
  generateText({ model, tools, maxRetries: 0, prompt: 'Build the project.', stopWhen: isStepCount(10) })

t.test('ai with @ai-sdk/anthropic: both tools, woken by a webhook', async (t) => {
  const world = await openWorld(t)
  const model = await startModel(t, anthropicTurns(world))
  const provider = createAnthropic({ apiKey: 'none', baseURL: `${model.url}/v1` })
  const execute = (name: string) => async (input: unknown) => (await callTool(world, 'anthropic', name, input)).output
  const { text } = await generate(provider('scripted'), {
    bash: provider.tools.bash_20250124({ execute: execute('bash') }),
    [EDITOR]: provider.tools.textEditor_20250728({ execute: execute(EDITOR) }),
    ...aiFunctions(world, wakeByWebhook),
  })
  t.equal(text, LAST_TEXT)
  checkAnthropicTexts(t, world, model.results)
  await checkDefinitions(t, world, model, 'anthropic')
  await checkTask(t, world, model.results, 'anthropic')
})

t.test('ai with @ai-sdk/openai: shell and apply_patch, woken by GET /events', async (t) => {
  const world = await openWorld(t)
  const model = await startModel(t, openaiTurns())
  const provider = createOpenAI({ apiKey: 'none', baseURL: `${model.url}/v1` })
  const { text } = await generate(provider.responses('scripted'), {
    shell: provider.tools.shell({ execute: ({ action }) => callShell(world, action) }),
    apply_patch: provider.tools.applyPatch({ execute: ({ operation }) => callPatch(world, operation) }),
    ...aiFunctions(world, wakeByEvents),
  })
  t.equal(text, LAST_TEXT)
  checkOpenaiTexts(t, world, model.results)
  await checkDefinitions(t, world, model, 'openai')
  await checkTask(t, world, model.results, 'openai')
})

t.test('@openai/agents-core: its Shell and Editor, woken by GET /events', async (t) => {
  const world = await openWorld(t)
  const model = await startModel(t, openaiTurns())
  const shell: Shell = { run: (action) => callShell(world, action) }
  const patch = (operation: object) => callPatch(world, operation)
  const editor: Editor = { createFile: patch, updateFile: patch, deleteFile: patch }
  const own = (name: string, description: string, execute: () => Promise<string>) =>
    agentTool({
      name,
      description,
      parameters: { ...build.parameters, required: [], additionalProperties: true },
      strict: false,
      execute,
    })
  const client = new OpenAI({ apiKey: 'none', baseURL: `${model.url}/v1`, maxRetries: 0 })
  const agent = new Agent({
    name: 'builder',
    model: new OpenAIResponsesModel(client as never, 'scripted'),
    tools: [
      shellTool({ shell }),
      applyPatchTool({ editor }),
      own('start_build', build.description, () => startBuild(world)),
      own('wait', wait.description, () => wakeByEvents(world)),
    ],
  })
  const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'Build the project.')
  t.equal(finalOutput, LAST_TEXT)
  checkOpenaiTexts(t, world, model.results)
  await checkDefinitions(t, world, model, 'openai')
  await checkTask(t, world, model.results, 'openai')
})

t.test(
  '@ai-sdk/mcp: bash returns a handle, the build continues, and exec_wait without id wakes the model',
  async (t) => {
    // long enough for the edits on a busy machine; the build waits for a file
    const world = await openWorld(t, { SHELLPHONE_MCP_PATIENCE_SECONDS: '5' })
    const { project, service } = world
    const before = anthropicTurns(world).slice(0, 2)
    const model = await startModel(t, [
      ...before,
      [{ tool: 'bash', input: { command: BUILD } }],
      (results) => {
        t.match(results.at(-1), { text: /^Run \S+: still running/, isError: false })
        writeFileSync(join(project, 'go'), '')
        return [{ tool: 'exec_wait', input: { wait_seconds: 60 } }]
      },
      [{ tool: 'bash', input: { command: 'cat built missing' } }],
    ])
    const headers = { authorization: `Bearer ${service.token}` }
    const url = `${service.url}/mcp/anthropic`
    const client = await createMCPClient({ transport: { type: 'http', url, headers } })
    t.teardown(() => client.close())
    const provider = createAnthropic({ apiKey: 'none', baseURL: `${model.url}/v1` })
    const { text } = await generate(provider('scripted'), await client.tools())
    t.equal(text, LAST_TEXT)
    const texts = model.results.map(({ text }) => text)
    t.match(texts.slice(4), ['built fast', /^new\nhello\ncat: .*missing/])
    t.equal(readFileSync(join(project, 'built'), 'utf8'), 'new\nhello\n')
    const dialects = (await runsOf(service)).map(({ dialect }) => dialect)
    t.same(new Set(dialects), new Set(['anthropic/bash', `anthropic/${EDITOR}`, 'oneclaw']))
  },
)

t.test('@ai-sdk/mcp: subscribes to MCP Events, and its own webhook handler accepts them', async (t) => {
  const { store, subscriptions } = createEventStore()
  const received: MCPEvent[] = []
  const handle = createMCPEventWebhook({ store, onEvent: async ({ event }) => void received.push(event) })
  const receiver = await startReceiver(({ path, headers, body }, _nth, response) => {
    const init = { method: 'POST', headers: headers as Record<string, string>, body }
    const request = new Request(`http://${String(headers.host)}${path}`, init)
    void handle(request).then(async (reply) => response.writeHead(reply.status).end(await reply.text()))
  })
  const service = await startService({ env: { SHELLPHONE_WEBHOOK_HOSTS: JSON.stringify([receiver.host]) } })
  t.teardown(() => Promise.all([service.stop(), receiver.close()]))
  const transport = {
    type: 'http',
    url: `${service.url}/mcp`,
    headers: { authorization: `Bearer ${service.token}` },
  } as const
  const client = await createMCPClient({ transport, experimental_events: { store } })
  t.teardown(() => client.close())
  const events = client.experimental_events
  const delivery = { mode: 'webhook', url: receiver.url, allowInsecureLocalhost: true } as const
  const { id } = await events.subscribe({ name: 'run.ended', arguments: { session: 'build' }, delivery })
  await service.exec({ command: 'true' })
  const run = await service.exec({ command: 'exit 3', session: 'build' })
  await until(() => received.length === 1)
  t.match(received, [
    { name: 'run.ended', data: { run_id: run.id, status: 'failed', exit_code: 3 }, cursor: /^\d+\.\d+$/ },
  ])
  t.equal((await events.refresh({ id })).id, id)
  await events.unsubscribe({ id })
  t.equal(subscriptions.size, 0)
  t.same(await (await service.request('/webhooks')).json(), { webhooks: [] })
})

/** The client's own storage of its subscriptions. */
function createEventStore() {
  const subscriptions = new Map<string, MCPEventSubscription>()
  const store: MCPEventStore = {
    get: async (key) => subscriptions.get(key),
    getById: async (id) => [...subscriptions.values()].find((one) => one.id === id),
    set: async (one) => void subscriptions.set(one.key, one),
    update: async (key, patch) => void subscriptions.set(key, { ...subscriptions.get(key)!, ...patch }),
    delete: async (key) => void subscriptions.delete(key),
  }
  return { store, subscriptions }
}
