import type { IncomingMessage } from 'node:http'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { feedStdin, type OpenStdin, seenBy, stdinOf } from '../exec/index.ts'
import { invalid, oneWordOf, ShellphoneError } from '../../shared/schema/index.ts'
import { bytesAsTheyCome, longUpload, errorResponses } from '../../http/index.ts'
import { NO_RUN, NOT_YOURS } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { RunParams, StdinInput } from './run-input.ts'
import { whoOf } from './security.ts'

const offset = Type.Integer({ minimum: 0, description: 'How many bytes the command has taken' })

const Taken = Type.Object(
  { ok: Type.Literal(true, { description: 'The command has the bytes' }), offset },
  { $id: 'StdinTaken', description: 'How much of its stdin the command has taken' },
)
const StdinState = Type.Object(
  { offset, ended: Type.Boolean({ description: 'Whether stdin is closed' }) },
  { $id: 'StdinState', description: 'How much of its stdin the command has taken' },
)

const StreamQuery = Type.Object(
  {
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Offset of the first byte, in bytes (default: from Content-Range, or 0)',
      }),
    ),
    end: Type.Optional(
      oneWordOf(['true', 'false'], {
        description: 'false: stdin stays open after the body (default: true)',
      }),
    ),
  },
  { additionalProperties: false },
)

const tags = ['runs']
const CLOSED = { 409: 'the run has ended, its stdin is closed, or it was not started with "stdin": "open"' }
const GAP = { 416: 'the piece begins after the last byte received; GET /runs/{id}/stdin returns the offset' }

/** The stdin of a run that was started with `"stdin": "open"`: in pieces, or as one stream of any length. */
export async function stdinRoutes(app: App, { executor }: RouteParts): Promise<void> {
  const runOf = (request: FastifyRequest, id: string) => seenBy(executor, whoOf(request)).running(id)

  const pieceSchema = {
    summary: 'Feed the stdin of a run started with "stdin": "open"',
    operationId: 'feedStdin',
    tags,
    params: RunParams,
    body: StdinInput,
    response: { 200: Taken, ...errorResponses(400, 401, NO_RUN, NOT_YOURS, CLOSED, 413, GAP) },
  }
  app.post('/runs/:id/stdin', { schema: pieceSchema }, async (request) => {
    const run = await runOf(request, request.params.id)
    return { ok: true as const, offset: await feedStdin(run, request.body) }
  })

  const stateSchema = {
    summary: 'Get the number of stdin bytes that the command has taken',
    operationId: 'getStdin',
    tags,
    params: RunParams,
    response: { 200: StdinState, ...errorResponses(401, NO_RUN, NOT_YOURS, CLOSED) },
  }
  app.get('/runs/:id/stdin', { schema: stateSchema }, async (request) => {
    const { taken, isEnded } = stdinOf(await runOf(request, request.params.id))
    return { offset: taken, ended: isEnded }
  })

  const streamSchema = {
    summary: 'Feed the stdin of a run as one stream (curl -T -); bytes already received are skipped',
    operationId: 'streamStdin',
    tags,
    params: RunParams,
    querystring: StreamQuery,
    response: { 200: Taken, ...errorResponses(400, 401, NO_RUN, NOT_YOURS, CLOSED, GAP) },
  }
  await app.register(async (scope: App) => {
    bytesAsTheyCome(scope)
    scope.put('/runs/:id/stdin', { schema: streamSchema, config: { streams: true } }, async (request, reply) => {
      const { params, query, raw } = request
      longUpload(request)
      const stdin = stdinOf(await runOf(request, params.id))
      const from = query.offset ?? offsetIn(request.headers['content-range'])
      try {
        await pour(raw, stdin, from, query.end !== 'false')
      } catch (error) {
        if (raw.errored) return reply.hijack() // the client has disconnected
        reply.header('connection', 'close') // the rest of the body is not read
        throw error
      }
      return { ok: true as const, offset: stdin.taken }
    })
  })
}

/** Resolves when the command has taken the whole body. A body that is cut off leaves stdin open. Throws CONFLICT if the run ends first. */
async function pour(body: IncomingMessage, stdin: OpenStdin, from: number, end: boolean): Promise<void> {
  let offset = from
  const chunks: AsyncIterator<Buffer> = body.iterator({ destroyOnReturn: false })
  for (;;) {
    const { value, done } = await untilClosed(chunks.next(), stdin)
    if (done) break
    await stdin.take(value, { offset })
    offset += value.length
  }
  await stdin.take(NOTHING, { offset, end })
}

const NOTHING = Buffer.alloc(0)

/** Waits for `next`; rejects with CONFLICT if the run ends first. */
function untilClosed<T>(next: Promise<T>, { closed, taken }: OpenStdin): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = () =>
      reject(new ShellphoneError('CONFLICT', `The run has ended; it took ${taken} bytes of its stdin`))
    closed.addEventListener('abort', refuse)
    next.then(resolve, reject).finally(() => closed.removeEventListener('abort', refuse))
    if (closed.aborted) refuse()
  })
}

/** The offset in `bytes 100-199/200`; the numbers after it are ignored. */
function offsetIn(range: string | undefined): number {
  if (range === undefined) return 0
  const start = /^bytes (\d{1,15})-/.exec(range)?.[1]
  if (start !== undefined) return Number(start)
  throw invalid('Content-Range: expected bytes FIRST-LAST/LENGTH', 'Content-Range')
}
