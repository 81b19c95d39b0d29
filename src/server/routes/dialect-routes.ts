import { type TSchema, Type } from '@sinclair/typebox'
import { dialects, toolsOfDialect } from '../dialects/index.ts'
import { DialectAnswer } from '../../shared/schema/index.ts'
import { disconnectSignal, ErrorBody, errorResponses } from '../../http/index.ts'
import { dialectEventStream, sendEvents } from './events.ts'
import { IdempotencyKey, OTHER_403, representationFor, sendText } from './exec-route.ts'
import { NO_DIALECT } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'
import { CallQuery, DialectName, ListQuery, nameOfTool, ToolList, toolList } from './tool-formats.ts'

const DialectInPath = Type.String({
  description: 'The name of the dialect; of a name DIALECT/TOOL in GET /dialects, only DIALECT, with TOOL in the query',
})
const DialectList = Type.Object({
  dialects: Type.Array(
    Type.Object({
      name: DialectName,
      tool: Type.String({ description: 'The name of the tool, as the model knows it' }),
      description: Type.String({ description: 'The description of the tool for the model' }),
      parameters: Type.Object({}, { additionalProperties: true, description: 'The JSON Schema of its parameters' }),
    }),
    { description: 'All dialects' },
  ),
})

/** GET /dialects and POST /exec/:dialect: an agent that was written for another system finds its own tool here. */
export async function dialectRoutes(app: App, { executor, unsent, turn }: RouteParts): Promise<void> {
  const listSchema = {
    summary: "List the dialects, ready for a model's tool list",
    operationId: 'listDialects',
    tags: ['dialects'],
    querystring: ListQuery,
    response: {
      200: Type.Union([DialectList, ToolList], {
        description: 'The tools of all dialects, or of the one in the query',
      }),
      ...errorResponses(400, 401, NO_DIALECT),
    },
  }
  app.get('/dialects', { schema: listSchema }, async ({ query: { format, dialect } }) => {
    const chosen = dialect === undefined ? dialects : toolsOfDialect(dialect)
    if (format) return toolList(format, chosen)
    const shown = chosen.map(({ name, tool, description, parameters }) => ({ name, tool, description, parameters }))
    return { dialects: shown }
  })

  const schema = {
    summary: "Run a command in a dialect, with the tool's own parameters and text format",
    operationId: 'execDialect',
    tags: ['dialects'],
    params: Type.Object({ dialect: DialectInPath }),
    querystring: CallQuery,
    headers: Type.Object({ 'idempotency-key': Type.Optional(IdempotencyKey) }),
    body: Type.Object({}, { additionalProperties: true, description: 'The arguments of the tool' }),
    response: {
      200: toolReply('The command ran, whatever its exit code; events begin before it has ended', DialectAnswer, true),
      400: toolReply('The tool refused its arguments, or validation_error'),
      403: toolReply(`The command was denied: the answer of the tool. ${OTHER_403}`),
      500: toolReply('The shell could not be started, or execution_error'),
      503: toolReply('The sandbox is not available, or pool_full'),
      404: toolReply('No such dialect or file'),
      409: toolReply('The key belongs to another request, or the file conflicts with the change'),
      412: toolReply('The file has changed since a person approved its change'),
      413: toolReply('The body or the file is too large'),
      415: toolReply('The body is not JSON, or the file is not text'),
      507: toolReply('The disk is full'),
      ...errorResponses(401, { 410: 'the Idempotency-Key belongs to a run whose record has been deleted' }),
    },
  }
  app.post('/exec/:dialect', { schema }, async (request, reply) => {
    const { params, query, body, headers } = request
    const representation = representationFor(headers.accept)
    const dialect = nameOfTool(params.dialect, query.tool)
    const caller = {
      key: headers['idempotency-key'],
      gone: disconnectSignal(reply),
      who: whoOf(request),
      via: `POST /exec/${params.dialect}`,
      session: query.session,
    }
    const call = await executor.executeDialect(dialect, body, caller)
    if (call.run) {
      const { run, form } = call
      reply.header('run-id', run.id)
      const live = { unsent, turn, kind: 'starts', form } as const
      if (representation === 'text/event-stream') return sendEvents(run, START, reply, caller.gone, live)
    }
    const { status, answer } = await call.reply()
    reply.code(status as 200)
    return representation === 'text/plain' ? sendText(answer.output, reply) : answer
  })
}

const START = { stdout: 0, stderr: 0 }

/** A tool's own reply; `hasEvents`: also as a stream of events. */
function toolReply(description: string, schema: TSchema = Type.Union([DialectAnswer, ErrorBody]), hasEvents = false) {
  return {
    description,
    headers: { 'Run-Id': { type: 'string', description: 'The id of the run' } },
    content: {
      'application/json': { schema },
      'text/plain': { schema: { type: 'string', description: "The tool's own text" } },
      ...(hasEvents ? { 'text/event-stream': { schema: dialectEventStream } } : {}),
    },
  }
}
