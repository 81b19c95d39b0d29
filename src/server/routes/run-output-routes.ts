import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Executor, type RunOutput, seenBy } from '../exec/index.ts'
import { oneWordOf, type Stream as StreamName } from '../../shared/schema/index.ts'
import { sendLive, startCounted, writePieces } from './bytes.ts'
import { errorResponses, disconnectSignal, rangeOf } from '../../http/index.ts'
import { eventStream, fromEventId, sendEvents } from './events.ts'
import { headersOf, type OutputSlice, partOf } from './output-slice.ts'
import { EXPIRED, NO_RUN } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { RunParams, Stream } from './run-input.ts'
import { whoOf } from './security.ts'

const Name = Type.Object({ name: Type.String({ description: 'The name, as `scratchpad` in the record' }) })

const OutputQuery = Type.Object(
  {
    stream: Type.Optional(Stream),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Offset of the first byte, in bytes (default: 0)' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of bytes (default: all)' })),
    follow: Type.Optional(
      oneWordOf(['true', 'false'], {
        description: 'true: continue with new output until the run has ended (default: false)',
      }),
    ),
  },
  { additionalProperties: false },
)
type OutputQuery = Static<typeof OutputQuery>

const EventQuery = Type.Object(
  {
    encoding: Type.Optional(
      Type.Union([Type.Literal('utf8'), Type.Literal('base64')], {
        description: "Encoding of output (default: the request's while the run is live, utf8 afterwards)",
      }),
    ),
  },
  { additionalProperties: false },
)

const tags = ['runs']
const EventHeaders = Type.Object({
  'last-event-id': Type.Optional(Type.String({ description: 'Id of the last received event: STDOUT.STDERR in bytes' })),
})
const headers = {
  'Run-Offset': { type: 'integer', description: 'Offset of the first byte of the response' },
  'Run-Total': { type: 'integer', description: 'How many bytes the command has written to the stream' },
  'Run-Eof': { type: 'boolean', description: 'Whether the response ends at the end of the stream' },
}
const content = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
const BEYOND = { 416: 'the offset is beyond the end of what the command has written' }
const bytes = { description: 'Raw bytes from the offset', headers, content }
const rangeHeaders = { ...headers, 'Content-Range': { type: 'string', description: 'bytes FIRST-LAST/TOTAL' } }
const rangeOfBytes = { description: 'The raw bytes of the requested Range', headers: rangeHeaders, content }

/** A run's raw output, by its id or by a scratchpad's name, and its events as SSE. */
export async function runOutputRoutes(app: App, { executor, unsent, turn }: RouteParts): Promise<void> {
  const visibleRuns = (request: FastifyRequest) => seenBy(executor, whoOf(request))
  const replies = { 200: bytes, 206: rangeOfBytes, ...errorResponses(400, 401, EXPIRED, BEYOND) }
  const outputSchema = {
    summary: 'Read the raw stdout or, with stream=stderr, the raw stderr of a run, even while it is running',
    operationId: 'getOutput',
    tags,
    params: RunParams,
    querystring: OutputQuery,
    response: { ...replies, ...errorResponses(NO_RUN) },
  }
  app.get('/runs/:id/output', { schema: outputSchema }, async (request, reply) => {
    const { params, query } = request
    return sendOutput({ executor: visibleRuns(request), id: params.id, query }, request, reply, { unsent, turn })
  })

  const padSchema = {
    summary: 'Read the stdout or, with stream=stderr, the stderr that a dialect saved under a name (scratchpad)',
    operationId: 'getScratchpad',
    tags,
    params: Name,
    querystring: OutputQuery,
    response: {
      ...replies,
      ...errorResponses({ 404: 'no run that this token can read has a scratchpad with this name' }),
    },
  }
  app.get('/scratchpads/:name', { schema: padSchema }, async (request, reply) => {
    const runs = visibleRuns(request)
    const id = await runs.scratchpad(request.params.name)
    return sendOutput({ executor: runs, id, query: request.query }, request, reply, { unsent, turn })
  })

  const eventsSchema = {
    summary: 'Follow the events of a run as SSE, from the start or from Last-Event-ID',
    operationId: 'getEvents',
    tags,
    params: RunParams,
    querystring: EventQuery,
    headers: EventHeaders,
    response: {
      200: {
        description: 'The events of the run, one block each',
        content: { 'text/event-stream': { schema: eventStream } },
      },
      204: { type: 'null', description: 'Last-Event-ID is the id of the result, which is the last event' },
      ...errorResponses(400, 401, NO_RUN, EXPIRED, BEYOND),
    },
  }
  app.get('/runs/:id/events', { schema: eventsSchema }, async (request, reply) => {
    const run = await visibleRuns(request).find(request.params.id)
    const from = fromEventId(request.headers['last-event-id'])
    if (from === null) return reply.code(204).send()
    return sendEvents(run, from, reply, disconnectSignal(reply), { unsent, turn, encoding: request.query.encoding })
  })
}

interface OutputRequest {
  executor: Executor
  id: string
  query: OutputQuery
}

/** Sends all stored output or the requested part of it; with `follow`, also later output until the run ends. */
async function sendOutput(
  { executor, id, query }: OutputRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  { unsent, turn }: Pick<RouteParts, 'unsent' | 'turn'>,
): Promise<FastifyReply> {
  const { stream = 'stdout', offset = 0 } = query
  const range = rangeOf(request.headers.range, query)
  if (query.follow === 'true' && request.method !== 'HEAD') {
    const gone = disconnectSignal(reply)
    return sendLive(await executor.find(id), { stream, offset }, reply, gone, { unsent, turn })
  }
  await turn()
  const output = await executor.output(id)
  const part = partOf(output, stream, query, range)
  reply.code(range ? 206 : 200).headers(headersOf(id, part, range !== null))
  const length = part.to - part.from
  const first = await output.read(stream, part.from, length > MAX_WHOLE_BYTES ? 1 : length)
  reply.type('application/octet-stream')
  if (first.length === length) return reply.send(first)
  const raw = startCounted(reply, reply.statusCode, { 'content-length': length }, unsent)
  if (request.method !== 'HEAD')
    await writePieces(raw, piecesOf(output, stream, part, turn), disconnectSignal(reply), unsent)
  raw.end()
  return reply
}

/** A longer response is written piece by piece, as its client reads it. */
const MAX_WHOLE_BYTES = 1_048_576
const PIECE_BYTES = 65_536

async function* piecesOf(
  output: RunOutput,
  stream: StreamName,
  { from, to }: OutputSlice,
  turn: () => Promise<void>,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    await turn()
    const piece = await output.read(stream, at, Math.min(to - at, PIECE_BYTES))
    yield piece
    at += piece.length
  }
}
