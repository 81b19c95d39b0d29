import { Type } from '@sinclair/typebox'
import { dialects } from '../dialects/index.ts'
import { errorResponses, disconnectSignal } from '../../http/index.ts'
import { IdempotencyKey, representationFor, sendText } from './exec-route.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'
import { FormatQuery, ToolList, toolList } from './tool-formats.ts'

/** The response of an agent's own tool. */
export const DialectAnswer = Type.Object(
  {
    tool: Type.String(),
    run_id: Type.Union([Type.String(), Type.Null()]),
    is_error: Type.Boolean(),
    exit_code: Type.Optional(Type.Integer({ description: 'Of the command; absent if it has no exit code' })),
    error_type: Type.Optional(
      Type.String({ description: 'Of a request that did not become a run: validation_error, execution_error …' }),
    ),
    output: Type.String({ description: "In the tool's own text format" }),
  },
  { $id: 'DialectAnswer' },
)

const DialectList = Type.Object({
  dialects: Type.Array(
    Type.Object({
      name: Type.String(),
      tool: Type.String(),
      description: Type.String(),
      parameters: Type.Object({}, { additionalProperties: true, description: 'JSON Schema' }),
    }),
  ),
})

/** GET /dialects and POST /exec/:dialect: an agent that was written for another system finds its own tool here. */
export async function dialectRoutes(app: App, { executor }: RouteParts): Promise<void> {
  const listSchema = {
    summary: "List the dialects, ready for a model's tool list",
    operationId: 'listDialects',
    tags: ['dialects'],
    querystring: FormatQuery,
    response: { 200: Type.Union([DialectList, ToolList]), ...errorResponses(400, 401) },
  }
  app.get('/dialects', { schema: listSchema }, async ({ query: { format } }) => {
    if (format) return toolList(format)
    const shown = dialects.map(({ name, tool, description, parameters }) => ({ name, tool, description, parameters }))
    return { dialects: shown }
  })

  const schema = {
    summary: "Run a command in a dialect, with the tool's own parameters and text format",
    operationId: 'execDialect',
    tags: ['dialects'],
    params: Type.Object({ dialect: Type.String() }),
    headers: Type.Object({ 'idempotency-key': Type.Optional(IdempotencyKey) }),
    body: Type.Object({}, { additionalProperties: true }),
    response: { 200: DialectAnswer, ...errorResponses(400, 401, 404, 409, 410, 413, 415, 503) },
  }
  app.post('/exec/:dialect', { schema }, async (request, reply) => {
    const { params, body, headers } = request
    const { dialect } = params
    const caller = {
      key: headers['idempotency-key'],
      gone: disconnectSignal(reply),
      who: whoOf(request),
      via: `POST /exec/${dialect}`,
    }
    const { run, answer } = await executor.executeDialect(dialect, body, caller)
    if (run) reply.header('run-id', run.id)
    const result = await answer()
    return representationFor(headers.accept) === 'text/plain' ? sendText(result.output, reply) : result
  })
}
