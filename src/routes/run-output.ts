import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Executor, seenBy } from '../exec/index.ts'
import { ShellphoneError } from '../schema/index.ts'
import { errorResponses } from './errors.ts'
import { sendEvents } from './events.ts'
import { goneSignal } from './exec.ts'
import type { App, RouteParts } from './parts.ts'
import { whoOf } from './security.ts'

const Id = Type.Object({ id: Type.String() })
const Name = Type.Object({ name: Type.String() })

const OutputQuery = Type.Object(
  {
    stream: Type.Optional(Type.Union([Type.Literal('stdout'), Type.Literal('stderr')])),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes; default 0' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Bytes; default and maximum 1 MiB' })),
  },
  { additionalProperties: false },
)
type OutputQuery = Static<typeof OutputQuery>

const tags = ['runs']
const bytes = {
  description: 'Raw bytes from the offset on',
  headers: { 'Run-Offset': { type: 'integer' }, 'Run-Total': { type: 'integer' }, 'Run-Eof': { type: 'boolean' } },
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
}
const events = { description: 'Events', content: { 'text/event-stream': { schema: { type: 'string' } } } }

/** The raw bytes of a run's streams, by id or by scratchpad name, and its events as SSE. */
export async function runOutputRoutes(app: App, { executor, unsent, turn }: RouteParts): Promise<void> {
  const seen = (request: FastifyRequest) => seenBy(executor, whoOf(request))
  const reply200 = { 200: bytes, ...errorResponses(400, 401, 404, 410, 416) }
  const outputSchema = {
    summary: 'The raw bytes, lossless, also while it runs',
    tags,
    params: Id,
    querystring: OutputQuery,
    response: reply200,
  }
  app.get('/runs/:id/output', { schema: outputSchema }, async (request, reply) => {
    await turn()
    return sendOutput(seen(request), request.params.id, request.query, reply)
  })

  const padSchema = {
    summary: "The output that Meka's tool saved under a name",
    tags,
    params: Name,
    querystring: OutputQuery,
    response: reply200,
  }
  app.get('/scratchpads/:name', { schema: padSchema }, async (request, reply) => {
    await turn()
    const runs = seen(request)
    return sendOutput(runs, await runs.scratchpad(request.params.name), request.query, reply)
  })

  const eventsSchema = {
    summary: 'Events as SSE, from the start or from Last-Event-ID',
    tags,
    params: Id,
    response: { 200: events, ...errorResponses(400, 401, 404, 410, 416) },
  }
  app.get('/runs/:id/events', { schema: eventsSchema }, async (request, reply) => {
    const run = await seen(request).find(request.params.id)
    return sendEvents(run, fromEventId(request.headers['last-event-id']), reply, goneSignal(reply), { unsent, turn })
  })
}

async function sendOutput(
  executor: Executor,
  id: string,
  query: OutputQuery,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { stream = 'stdout', offset = 0, limit = 1_048_576 } = query
  const output = await executor.output(id)
  const isFinished = output.finished()
  const data = await output.read(stream, offset, limit)
  const total = output.size(stream)
  const isEnd = isFinished && offset + data.length >= total
  reply.headers({ 'run-id': id, 'run-offset': offset, 'run-total': total, 'run-eof': String(isEnd) })
  return reply.type('application/octet-stream').send(data)
}

/** `stdout-offset.stderr-offset`, as the events' ids say it. */
function fromEventId(id: string | string[] | undefined): { stdout: number; stderr: number } {
  if (id === undefined) return { stdout: 0, stderr: 0 }
  const parts = /^(\d{1,15})\.(\d{1,15})$/.exec(String(id))
  if (parts) return { stdout: Number(parts[1]), stderr: Number(parts[2]) }
  throw new ShellphoneError('VALIDATION_ERROR', 'Last-Event-ID: expected the id of an event, STDOUT.STDERR in bytes', {
    field: 'Last-Event-ID',
  })
}
