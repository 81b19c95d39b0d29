import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { resizeTerminal, seenBy, sendSignal } from '../exec/index.ts'
import { within } from '../../shared/async/index.ts'
import { ExecRecord, isRunOf, note, oneWordOf, RunStatus, RunSummary, WindowSize } from '../../shared/schema/index.ts'
import { errorResponses, jsonOf } from '../../http/index.ts'
import { CancelReply } from './exec-route.ts'
import { NO_RUN, NOT_YOURS } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { RunParams, SignalInput } from './run-input.ts'
import { whoOf } from './security.ts'

const MAX_WAIT_SECONDS = 300

const ListQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union([RunStatus, Type.Literal('live')], {
        description: 'Only runs with this status; live: runs that have not ended',
      }),
    ),
    q: Type.Optional(Type.String({ maxLength: 1000, description: 'Only runs whose command or id contains this text' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'At most this many (default: 50)' })),
    before: Type.Optional(Type.String({ maxLength: 64, description: 'Only runs older than this id' })),
    own: Type.Optional(
      oneWordOf(['true', 'false'], {
        description: 'true: only runs that this token has started (default: false, all that it can read)',
      }),
    ),
  },
  { additionalProperties: false },
)
const WaitQuery = Type.Object(
  {
    wait_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        description: 'How many seconds to wait for the run to end (default: 0)',
      }),
    ),
  },
  { additionalProperties: false },
)
const RunList = Type.Object(
  { runs: Type.Array(RunSummary, { description: 'The runs, newest first' }) },
  { $id: 'RunList', description: 'The newest runs that fit the query' },
)
const done = (description: string) =>
  Type.Object({ ok: Type.Literal(true, { description: 'The service has done it' }) }, { description })

const tags = ['runs']

/** Live and ended runs: the history, one record, and cancel, signal and resize. */
export async function runRoutes(app: App, { executor, turn }: RouteParts): Promise<void> {
  const visibleRuns = (request: FastifyRequest) => seenBy(executor, whoOf(request))
  const listSchema = {
    summary: 'List runs, newest first',
    operationId: 'listRuns',
    tags,
    querystring: ListQuery,
    response: { 200: RunList, ...errorResponses(400, 401) },
  }
  app.get('/runs', { schema: listSchema }, async (request) => {
    const { own, limit = 50, ...query } = request.query
    const who = whoOf(request)
    const matches = own === 'true' ? (run: RunSummary) => isRunOf(run, who) : undefined
    return { runs: await visibleRuns(request).list({ ...query, limit, matches }) }
  })

  const getSchema = {
    summary: 'Get the record of a run; with wait_seconds, wait for the run to end',
    operationId: 'getRun',
    tags,
    params: RunParams,
    querystring: WaitQuery,
    response: { 200: ExecRecord, ...errorResponses(400, 401, NO_RUN) },
  }
  app.get('/runs/:id', { schema: getSchema }, async (request, reply) => {
    const { id } = request.params
    const waitMs = (request.query.wait_seconds ?? 0) * 1000
    const runs = visibleRuns(request)
    if (waitMs === 0) return runs.recordOf(id)
    const { finished } = await runs.find(id)
    const record = await valueWithin(finished, waitMs)
    return record === undefined ? runs.recordOf(id) : sendShared(record, reply, turn)
  })

  const cancelSchema = {
    summary: 'Cancel a run: send SIGTERM to the whole process tree, and SIGKILL after the grace period',
    operationId: 'cancelRun',
    tags,
    params: RunParams,
    response: { 200: CancelReply, ...errorResponses(401, NO_RUN) },
  }
  app.delete('/runs/:id', { schema: cancelSchema }, async (request) => {
    return { outcome: await visibleRuns(request).cancel(request.params.id, note('CANCELED_BY_CLIENT')) }
  })

  const signalSchema = {
    summary: 'Send a named signal to the process group of a run, or to the foreground group of its terminal',
    operationId: 'signalRun',
    tags,
    params: RunParams,
    body: SignalInput,
    response: {
      200: done('The signal was sent to every process of the group'),
      ...errorResponses(400, 401, NO_RUN, NOT_YOURS, {
        409: 'the run has not started, has ended, or has no process left to signal',
      }),
    },
  }
  app.post('/runs/:id/signal', { schema: signalSchema }, async (request) => {
    await sendSignal(await visibleRuns(request).running(request.params.id), request.body.signal)
    return { ok: true as const }
  })

  const resizeSchema = {
    operationId: 'resizeRun',
    summary: 'Change the size of the terminal of a run started with "tty"',
    tags,
    params: RunParams,
    body: WindowSize,
    response: {
      200: done('The terminal has the new size'),
      ...errorResponses(400, 401, NO_RUN, NOT_YOURS, {
        409: 'the run has not started, has ended, or was not started with "tty"',
      }),
    },
  }
  app.post('/runs/:id/resize', { schema: resizeSchema }, async (request) => {
    await resizeTerminal(await visibleRuns(request).running(request.params.id), request.body)
    return { ok: true as const }
  })
}

/** Many clients may have waited for this record, so its JSON is shared. */
async function sendShared(record: ExecRecord, reply: FastifyReply, turn: RouteParts['turn']): Promise<FastifyReply> {
  await turn()
  return reply.type('application/json; charset=utf-8').send(jsonOf(record))
}

/** The value of the promise; undefined if it takes longer than `waitMs` or rejects. */
async function valueWithin<T>(promise: Promise<T>, waitMs: number): Promise<T | undefined> {
  const value = promise.catch(() => undefined)
  return (await within(value, waitMs)) ? value : undefined
}
