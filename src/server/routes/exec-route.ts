import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { Watched } from '../exec/index.ts'
import { ExecRecord, ExecRequest, isEnding, RunId, RunStatus } from '../../shared/schema/index.ts'
import { ErrorBody, errorResponses, disconnectSignal, requireCommand } from '../../http/index.ts'
import { sendLive, untilNews } from './bytes.ts'
import { eventStream, sendEvents } from './events.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'

/** The body of a 403: the record of a denied command, or an error. */
export const RecordOrError = Type.Union([ExecRecord, ErrorBody])

/** The other causes of a 403. */
export const OTHER_403 =
  'Otherwise an error: forbidden (the token lacks a right, such as shell for tty), forbidden_origin or forbidden_host (a foreign Origin or Host), or tls_required (plain HTTP from another machine)'

/** POST /exec: runs one command and returns its record once it has ended or, with `background`, its id immediately. */
export async function execRoute(app: App, parts: RouteParts): Promise<void> {
  const schema = {
    summary: 'Run a shell command',
    operationId: 'exec',
    tags: ['exec'],
    headers: Headers,
    body: {
      content: {
        'application/json': { schema: ExecRequest },
        'text/plain': { schema: Type.String({ description: 'The command to run' }) },
      },
    },
    response: {
      200: recordReply('The command ran'),
      202: {
        ...Accepted,
        description: 'The command runs in the background',
        headers: { Location: { type: 'string', description: 'The path of the run' } },
      },
      403: recordReply(
        `The command was denied: its record, with decision.rule and decision.reason. ${OTHER_403}`,
        RecordOrError,
      ),
      ...errorResponses(400, 401, 413, 415, 429, {
        409: 'the Idempotency-Key was used with another body, or there are too many sessions',
        410: 'the Idempotency-Key belongs to a run whose record has been deleted',
        500: 'the shell could not be started, or an internal error',
        503: 'pool_full: all slots and the queue are full; sandbox_unavailable, terminal_unavailable: this system has none',
      }),
    },
  }
  await app.register(async (scope: App) => {
    scope.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, text, done) => done(null, text))
    scope.post('/exec', { schema, preValidation: requireCommand }, async (request, reply) => {
      const { headers } = request
      const representation = representationFor(headers.accept)
      const body = request.body as ExecRequest | string
      const input: ExecRequest = typeof body === 'string' ? { command: body } : body
      const isAsync = input.background || input.tty || RESPOND_ASYNC.test(headers.prefer ?? '')
      const gone = isAsync ? closedSignal(reply) : disconnectSignal(reply)
      const effective = isAsync
        ? { ...input, background: true }
        : representation === BYTES
          ? { ...input, ...LOSSLESS }
          : input
      const caller = { key: headers['idempotency-key'], gone, who: whoOf(request), via: 'POST /exec' }
      const run = await parts.executor.execute(effective, caller, input) // the idempotency key covers the body as sent, without the headers
      return isAsync ? accept(run, reply) : answer(run, representation, reply, gone, parts)
    })
  })
  const leaveSchema = {
    summary: 'Cancel the foreground run with this Idempotency-Key, because its caller will not retry',
    operationId: 'leaveExec',
    tags: ['exec'],
    headers: Type.Object({ 'idempotency-key': IdempotencyKey }),
    response: {
      200: CancelReply,
      ...errorResponses(400, 401, {
        404: 'no live run of this token has the Idempotency-Key',
        409: 'the run with the Idempotency-Key is in the background; cancel it with DELETE /runs/{id}',
      }),
    },
  }
  app.delete('/exec', { schema: leaveSchema }, async (request) => {
    return { outcome: await parts.executor.leave(request.headers['idempotency-key'], whoOf(request)) }
  })
}

/** Only stdout, as raw bytes. */
const BYTES = 'application/octet-stream'
/** The client is the only reader, so it must get all output, even if the store is full. */
const LOSSLESS = { when_full: 'wait' } as const

/** The header of POST /exec and POST /exec/:dialect, and the field `idempotency_key` of the WebSocket's exec. */
export const IdempotencyKey = Type.String({
  pattern: '^[\\x21-\\x7e]{1,255}$',
  description: 'The same key and body return the same run; 1 to 255 visible ASCII characters',
})

/** The outcome of a request to cancel a run. */
export const CancelReply = Type.Object(
  {
    outcome: Type.Union([Type.Literal('cancel_requested'), Type.Literal('already_finished')], {
      description: 'cancel_requested: the run ends within the grace period; already_finished: there was nothing to do',
    }),
  },
  { description: 'Whether the run is being canceled, or had already ended' },
)

const Headers = Type.Object({
  'idempotency-key': Type.Optional(IdempotencyKey),
  prefer: Type.Optional(Type.String({ description: 'respond-async: the same as "background": true (RFC 7240)' })),
})

const Accepted = Type.Object({ id: RunId, status: RunStatus })

const RESPOND_ASYNC = /(^|,)\s*respond-async\s*(,|;|$)/i

function accept(run: Watched, reply: FastifyReply): FastifyReply {
  reply.code(202).headers({ location: `/runs/${run.id}`, 'run-id': run.id })
  return reply.send({ id: run.id, status: run.status })
}

/** Sends the record as JSON, only its text, its events, or its stdout. */
async function answer(
  run: Watched,
  representation: Representation,
  reply: FastifyReply,
  gone: AbortSignal,
  parts: RouteParts,
): Promise<FastifyReply> {
  reply.header('run-id', run.id)
  const live = { unsent: parts.unsent, turn: parts.turn, kind: 'starts' } as const
  if (representation === 'text/event-stream') return sendEvents(run, { stdout: 0, stderr: 0 }, reply, gone, live)
  if (representation === BYTES) {
    await untilNews(run, gone)
    const isStarted = run.statuses.includes('running') || !isEnding(run.status)
    if (isStarted) return sendLive(run, { stream: 'stdout', offset: 0 }, reply, gone, live)
  } // a run that never started has no bytes; its record says why
  const record = await run.finished
  reply.code(record.status === 'denied' ? 403 : 200).header('exit-code', record.exit_code)
  if (representation === 'text/plain') return sendText(record.output, reply)
  return reply.send(record)
}

function recordReply(description: string, schema: TSchema = ExecRecord) {
  return {
    description,
    headers: {
      'Run-Id': { type: 'string', description: 'The id of the run' },
      'Exit-Code': { type: 'integer', description: 'The exit code of the command; -1 if it has none' },
    },
    content: {
      'application/json': { schema },
      'text/plain': { schema: { type: 'string', description: 'The formatted text of the exec tool' } },
      [BYTES]: {
        schema: { type: 'string', format: 'binary', description: 'stdout, raw; Exit-Code and Run-Status in trailers' },
      },
      'text/event-stream': { schema: eventStream },
    },
  }
}

/** The media types in which a run can be returned. */
const representations = ['application/json', 'text/plain', 'text/event-stream', BYTES] as const
type Representation = (typeof representations)[number]

/** Sends text instead of the JSON of the route's schema. */
export function sendText(text: string, reply: FastifyReply): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text)
}

/** Aborts when the response has been sent, or when the client has disconnected before that. */
function closedSignal({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController()
  raw.once('close', () => closed.abort())
  return closed.signal
}

/**
 * The best representation for an Accept header (RFC 9110, 12.5.1): the highest q, then the header's order; otherwise JSON. @fastify/accepts would
 * return JSON for `text/plain; charset=utf-8`, and adds 146 KiB to dist.
 */
export function representationFor(accept = '*/*'): Representation {
  if (accept === '*/*') return 'application/json'
  const ranges = accept
    .split(',')
    .map(toMediaRange)
    .filter((range) => range.quality > 0)
    .sort((a, b) => b.quality - a.quality)
  for (const { type } of ranges) {
    const found = representations.find((one) => one === type)
    if (found) return found
    if (type === '*/*' || type === 'application/*') return 'application/json'
    if (type === 'text/*') return 'text/plain'
  }
  return 'application/json'
}

function toMediaRange(text: string): { type: string; quality: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return { type, quality: quality ? Number(quality.slice(2)) || 0 : 1 }
}
