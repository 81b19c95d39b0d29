import { setTimeout as sleep } from 'node:timers/promises'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { ExecRecord, RunStatus, ShellphoneError } from '../schema/index.ts'
import { errorResponses } from './error-schema.ts'
import type { RouteParts } from './index.ts'
import { CANCELED, feedStdin, SignalInput, StdinInput, sendSignal } from './run-input.ts'
import { sendEvents } from './sse.ts'

const MAX_WAIT_SECONDS = 300

const Id = Type.Object({ id: Type.String() })
type Id = Static<typeof Id>

const ListQuery = Type.Object(
  {
    status: Type.Optional(RunStatus),
    q: Type.Optional(Type.String({ maxLength: 1000, description: 'Part of the command' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Default 50' })),
    before: Type.Optional(Type.String({ maxLength: 64, description: 'Only runs older than this id' })),
  },
  { additionalProperties: false },
)
const WaitQuery = Type.Object(
  { wait_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_WAIT_SECONDS })) },
  { additionalProperties: false },
)
const OutputQuery = Type.Object(
  {
    stream: Type.Optional(Type.Union([Type.Literal('stdout'), Type.Literal('stderr')])),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes; default 0' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Bytes; default and maximum 1 MiB' })),
  },
  { additionalProperties: false },
)
const RunList = Type.Object({ runs: Type.Array(Type.Omit(ExecRecord, ['stdout', 'stderr', 'output'])) })
const CancelReply = Type.Object({
  outcome: Type.Union([Type.Literal('cancel_requested'), Type.Literal('already_finished')]),
})
const Done = Type.Object({ ok: Type.Literal(true) })

const tags = ['runs']

/** Runs, while they run and after: history, one record, its output, and what can be done to it. */
export async function runRoutes(app: FastifyInstance, { desk }: RouteParts): Promise<void> {
  const listSchema = {
    summary: 'History, newest first',
    tags,
    querystring: ListQuery,
    response: { 200: RunList, ...errorResponses(400, 401) },
  }
  app.get<{ Querystring: Static<typeof ListQuery> }>('/runs', { schema: listSchema }, async ({ query }) => {
    return { runs: await desk.list({ ...query, limit: query.limit ?? 50 } as never) }
  })

  const getSchema = {
    summary: 'One record; with wait_seconds when it has ended',
    tags,
    params: Id,
    querystring: WaitQuery,
    response: { 200: ExecRecord, ...errorResponses(400, 401, 404) },
  }
  app.get<{ Params: Id; Querystring: Static<typeof WaitQuery> }>(
    '/runs/:id',
    { schema: getSchema },
    async (request) => {
      const { id } = request.params
      const waitMs = (request.query.wait_seconds ?? 0) * 1000
      const run = await desk.find(id)
      if (waitMs > 0) await settledWithin(run.finished, waitMs)
      return desk.look(id)
    },
  )

  const cancelSchema = {
    summary: 'Cancel: SIGTERM, grace, SIGKILL of the whole tree',
    tags,
    params: Id,
    response: { 200: CancelReply, ...errorResponses(401, 404) },
  }
  app.delete<{ Params: Id }>('/runs/:id', { schema: cancelSchema }, async ({ params }) => {
    return { outcome: await desk.cancel(params.id, CANCELED) }
  })

  const stdinSchema = {
    summary: 'Feed the stdin of a run started with "stdin": "open"',
    tags,
    params: Id,
    body: StdinInput,
    response: { 200: Done, ...errorResponses(400, 401, 404, 409, 413) },
  }
  app.post<{ Params: Id; Body: StdinInput }>('/runs/:id/stdin', { schema: stdinSchema }, async ({ params, body }) => {
    await feedStdin(await desk.running(params.id), body)
    return { ok: true }
  })

  const signalSchema = {
    summary: 'Send a named signal to the process group',
    tags,
    params: Id,
    body: SignalInput,
    response: { 200: Done, ...errorResponses(400, 401, 404, 409) },
  }
  app.post<{ Params: Id; Body: SignalInput }>(
    '/runs/:id/signal',
    { schema: signalSchema },
    async ({ params, body }) => {
      await sendSignal(await desk.running(params.id), body)
      return { ok: true }
    },
  )
}

/** The raw bytes of one stream, and its events as SSE. */
export async function runOutputRoutes(app: FastifyInstance, { desk }: RouteParts): Promise<void> {
  const bytes = {
    description: 'Raw bytes from the offset on',
    headers: { 'Run-Offset': { type: 'integer' }, 'Run-Total': { type: 'integer' }, 'Run-Eof': { type: 'boolean' } },
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  }
  const outputSchema = {
    summary: 'The raw bytes, lossless, also while it runs',
    tags,
    params: Id,
    querystring: OutputQuery,
    response: { 200: bytes, ...errorResponses(400, 401, 404, 410, 416) },
  }
  app.get<{ Params: Id; Querystring: Static<typeof OutputQuery> }>(
    '/runs/:id/output',
    { schema: outputSchema },
    async (request, reply) => {
      const { stream = 'stdout', offset = 0, limit = 1_048_576 } = request.query
      const output = await desk.output(request.params.id)
      const isFinished = output.finished()
      const data = await output.read(stream, offset, limit)
      const total = output.size(stream)
      reply.headers({
        'run-offset': offset,
        'run-total': total,
        'run-eof': String(isFinished && offset + data.length >= total),
      })
      return reply.type('application/octet-stream').send(data)
    },
  )

  const eventsSchema = {
    summary: 'Events as SSE, from the start or from Last-Event-ID',
    tags,
    params: Id,
    response: {
      200: { description: 'Events', content: { 'text/event-stream': { schema: { type: 'string' } } } },
      ...errorResponses(400, 401, 404, 410, 416),
    },
  }
  app.get<{ Params: Id }>('/runs/:id/events', { schema: eventsSchema }, async (request, reply) => {
    const run = await desk.find(request.params.id)
    return sendEvents(run, fromEventId(request.headers['last-event-id']), reply)
  })
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

async function settledWithin(promise: Promise<unknown>, waitMs: number): Promise<void> {
  const timer = new AbortController()
  const settled = promise.then(
    () => {},
    () => {},
  )
  await Promise.race([settled, sleep(waitMs, undefined, { signal: timer.signal, ref: false }).catch(() => {})])
  timer.abort()
}
