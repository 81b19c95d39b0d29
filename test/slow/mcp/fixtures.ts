import { inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { Type } from '@sinclair/typebox'
import pino from 'pino'
import { createApp } from '../../../src/server/app.ts'
import { createTokens } from '../../../src/server/access/index.ts'
import { type Call, createMcp, type McpParts, type Tool } from '../../../src/server/mcp/index.ts'
import type { RouteParts } from '../../../src/server/routes/index.ts'
import { readConfig } from '../../../src/server/settings.ts'
import { ownersToken } from '../../support/owners-token.ts'

/** The tools that the conformance suite expects, as rows for our MCP code. */
const text = (line: string) => ({ content: [{ type: 'text' as const, text: line }] })
const image = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, body: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: body },
})

/** Sends an elicitation to the client, and returns its answer as text. */
async function ask(call: Call, requests: Parameters<typeof inputRequired>[0]['inputRequests']) {
  if (call.answered) return null
  const requestState = await call.seal({ run: '', approval: '', call: call.digest(), at: Date.now() })
  return inputRequired({ requestState, inputRequests: requests })
}

const elicit = (toSchema: object, tell: string) => async (given: unknown, call: Call) => {
  const { message = 'Please answer' } = (given ?? {}) as { message?: string }
  const requestedSchema = toSchema as { type: 'object'; properties: Record<string, { type: 'string' }> }
  const asked = await ask(call, { approve: inputRequired.elicit({ message, requestedSchema }) })
  if (asked) return asked
  const answer = inputResponse(call.answered!.responses, 'approve')
  return text(
    answer.kind === 'elicit' ? `${tell}action=${answer.action}, content=${JSON.stringify(answer.content)}` : '',
  )
}

const words = (...list: string[]) => ({ type: 'string', enum: list })
const titled = (...titles: string[]) => titles.map((title, i) => ({ const: `value${i + 1}`, title }))

const defaults = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { ...words('active', 'inactive', 'pending'), default: 'active' },
    verified: { type: 'boolean', default: true },
  },
}
const enums = {
  type: 'object',
  properties: {
    untitledSingle: words('option1', 'option2', 'option3'),
    titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
    legacyEnum: { ...words('opt1', 'opt2', 'opt3'), enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: words('option1', 'option2', 'option3') },
    titledMulti: { type: 'array', items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') } },
  },
}
const person = {
  type: 'object',
  properties: { username: { type: 'string' }, email: { type: 'string' } },
  required: ['username', 'email'],
}

const nothing = Type.Object({})
const schema2020 = Type.Object(
  { name: Type.Optional(Type.String()), address: Type.Optional(Type.Unsafe({ $ref: '#/$defs/address' })) },
  {
    additionalProperties: false,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  },
)

const rows: [string, Tool['run'], Tool['inputSchema']?][] = [
  ['test_simple_text', async () => text('This is a simple text response for testing.')],
  ['test_image_content', async () => ({ content: [image] })],
  ['test_audio_content', async () => ({ content: [{ type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }] })],
  [
    'test_embedded_resource',
    async () => ({
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  ],
  [
    'test_multiple_content_types',
    async () => ({
      content: [
        ...text('Multiple content types test:').content,
        image,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  ],
  [
    'test_error_handling',
    async () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  ],
  [
    'test_tool_with_progress',
    async (_given, { report }) => {
      for (const percent of [0, 50, 100]) {
        report?.(percent, `${percent} %`)
      }
      return text('done')
    },
  ],
  [
    'test_sampling',
    async (given, call) => {
      const { prompt } = given as { prompt: string }
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }]
      const asked = await ask(call, { approve: inputRequired.createMessage({ messages, maxTokens: 100 }) })
      if (asked) return asked
      return text(`LLM response: ${JSON.stringify(inputResponse(call.answered!.responses, 'approve'))}`)
    },
    Type.Object({ prompt: Type.String() }),
  ],
  ['test_elicitation', elicit(person, 'User response: '), Type.Object({ message: Type.String() })],
  ['test_elicitation_sep1034_defaults', elicit(defaults, 'Elicitation completed: ')],
  ['test_elicitation_sep1330_enums', elicit(enums, 'Elicitation completed: ')],
  ['json_schema_2020_12_tool', async () => text('checked'), schema2020],
]

const fixtureTools: Tool[] = rows.map(([name, run, inputSchema = nothing]) => ({
  name,
  title: name,
  description: `A fixture of the conformance suite: ${name}`,
  inputSchema,
  annotations: {},
  run,
}))

/** Starts our app with the suite's tools instead of ours; resolves with its address. */
export async function startFixtures(token: string): Promise<{ url: string; stop(): Promise<void> }> {
  const machine = { platform: 'linux' as const, home: '/nonexistent', prefix: undefined }
  const { settings } = await readConfig({ SHELLPHONE_HOME: '/nonexistent' }, new Map(), machine)
  const mcpParts = { version: '1', patienceMs: 45_000, hasReadOnlySandbox: false } as McpParts
  const openMcp = async () => createMcp(mcpParts, () => fixtureTools)
  const parts = {
    executor: { close: async () => {} },
    tokens: tokensOf(token),
    openMcp,
    facts: () => ({}),
  } as object as RouteParts
  const app = await createApp(settings, parts, pino({ level: 'silent' }))
  const url = await app.listen({ port: 0 })
  return { url, stop: () => app.close() }
}

/** Accepts only the owner's token. */
const tokensOf = (owner: string) =>
  createTokens({ file: { read: () => null, write: () => {} }, owner: ownersToken(owner), log: () => {} })
