import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { dialects } from '../dialects/index.ts'
import { representationFor } from './accept.ts'
import { errorResponses } from './error-schema.ts'
import type { RouteParts } from './index.ts'

const Name = Type.Object({ dialect: Type.String() })

/** What an agent's own tool answers. */
export const DialectAnswer = Type.Object(
  {
    tool: Type.String(),
    run_id: Type.Union([Type.String(), Type.Null()]),
    is_error: Type.Boolean(),
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

/** GET /dialects and POST /exec/:dialect: an agent written for one of the five systems finds its own tool here. */
export async function dialectRoutes(app: FastifyInstance, { desk }: RouteParts): Promise<void> {
  const listSchema = {
    summary: "Every dialect, ready for a model's tool list",
    tags: ['dialects'],
    response: { 200: DialectList, ...errorResponses(401) },
  }
  app.get('/dialects', { schema: listSchema }, async () => ({
    dialects: dialects.map(({ name, tool, description, parameters }) => ({ name, tool, description, parameters })),
  }))

  const schema = {
    summary: "One command in a dialect: the tool's own parameters in, its own text out",
    tags: ['dialects'],
    params: Name,
    body: Type.Object({}, { additionalProperties: true }),
    response: { 200: DialectAnswer, ...errorResponses(400, 401, 404, 413, 415, 503) },
  }
  app.post<{ Params: { dialect: string } }>('/exec/:dialect', { schema }, async (request, reply) => {
    const { run, answer } = desk.executeDialect(request.params.dialect, request.body)
    const leave = run?.join()
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) leave?.()
    })
    if (run) reply.header('run-id', run.id)
    const words = await answer()
    if (representationFor(request.headers.accept) === 'text/plain') {
      return reply.type('text/plain; charset=utf-8').send(words.output)
    }
    return words
  })
}
