import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Watched } from '../exec/index.ts'
import {
  type CancelSignal,
  COMMAND_REQUIRED,
  ExecRecord,
  ExecRequest,
  RunStatus,
  ShellphoneError,
  visible,
} from '../schema/index.ts'
import { errorResponses } from './error-schema.ts'
import { IdempotencyKey } from './idempotency-key.ts'
import type { App, RouteParts } from './parts.ts'
import { goneSignal, representationFor, sendText } from './reply.ts'
import { sendEvents } from './sse.ts'

/** POST /exec: one command, and its record when it has ended; with `background` its id at once. */
export async function execRoute(app: App, { executor, unsent }: RouteParts): Promise<void> {
  const preValidation: preValidationHookHandler = ({ body }, _reply, done) => {
    requireCommand(body)
    done()
  }
  const schema = {
    summary: 'Run a shell command (FEAT-029)',
    tags: ['exec'],
    headers: Headers,
    body: ExecRequest,
    response: {
      200: recordReply('The command ran'),
      202: { ...Accepted, description: 'It runs in the background', headers: { Location: { type: 'string' } } },
      403: recordReply('The command was denied'),
      ...errorResponses(400, 401, 409, 410, 413, 415, 429, 500, 503),
    },
  }
  app.post('/exec', { schema, preValidation }, async (request, reply) => {
    const { headers } = request
    const gone = goneSignal(reply)
    const isAsync = request.body.background || prefersAsync(headers.prefer)
    const body = isAsync ? { ...request.body, background: true } : request.body
    const run = await executor.execute(body, { key: headers['idempotency-key'], gone })
    return isAsync ? accept(run, reply) : answer(run, request, reply, gone, unsent)
  })
}

const Headers = Type.Object({
  'idempotency-key': Type.Optional(IdempotencyKey),
  prefer: Type.Optional(Type.String({ description: 'respond-async: as "background": true (RFC 7240)' })),
})

const Accepted = Type.Object({ id: Type.String(), status: RunStatus })

const prefersAsync = (prefer = '') => /(^|,)\s*respond-async\s*(,|;|$)/i.test(prefer)

function accept(run: Watched, reply: FastifyReply): FastifyReply {
  reply.code(202).headers({ location: `/runs/${run.id}`, 'run-id': run.id })
  return reply.send({ id: run.id, status: run.status })
}

/** FEAT-029's own words for a missing command, before the schema's; with the name that may stand for it (`cmd`). */
export function requireCommand(body: unknown): void {
  const fields = typeof body === 'object' ? { ...body } : { command: body }
  if ('command' in fields && fields.command !== undefined && fields.command !== null) return
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(ExecRequest.properties, name))
  const message =
    unknown === undefined ? COMMAND_REQUIRED : `${COMMAND_REQUIRED}; ${visible(unknown.slice(0, 60))}: unknown field`
  throw new ShellphoneError('VALIDATION_ERROR', message, { field: 'command' })
}

/** The record as JSON, its text alone, or its events. */
async function answer(
  run: Watched,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  gone: CancelSignal,
  unsent: RouteParts['unsent'],
): Promise<FastifyReply> {
  const representation = representationFor(headers.accept)
  reply.header('run-id', run.id)
  if (representation === 'text/event-stream') return sendEvents(run, { stdout: 0, stderr: 0 }, reply, gone, unsent)
  const record = await run.finished
  reply.code(record.status === 'denied' ? 403 : 200).header('exit-code', record.exit_code)
  if (representation === 'text/plain') return sendText(record.output, reply)
  return reply.send(record)
}

function recordReply(description: string) {
  return {
    description,
    headers: { 'Run-Id': { type: 'string' }, 'Exit-Code': { type: 'integer' } },
    content: {
      'application/json': { schema: ExecRecord },
      'text/plain': { schema: { type: 'string', description: "FEAT-029's formatted text" } },
      'text/event-stream': {
        schema: { type: 'string', description: 'status, note (it waits for a person), output and result events' },
      },
    },
  }
}
