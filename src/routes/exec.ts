import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Watched } from '../exec/index.ts'
import { COMMAND_REQUIRED, ExecRecord, ExecRequest, RunStatus, ShellphoneError, visible } from '../schema/index.ts'
import { representationFor } from './accept.ts'
import { errorResponses } from './error-schema.ts'
import type { RouteParts } from './index.ts'
import { sendEvents } from './sse.ts'

/** POST /exec: one command, and its record when it has ended; with `background` its id at once. */
export async function execRoute(app: FastifyInstance, { desk }: RouteParts): Promise<void> {
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
      ...errorResponses(400, 401, 409, 413, 415, 429, 500, 503),
    },
  }
  app.post<{ Body: ExecRequest }>('/exec', { schema, preValidation }, async (request, reply) => {
    await desk.turn()
    const key = request.headers['idempotency-key']
    const isAsync = request.body.background || prefersAsync(request.headers.prefer)
    const body = isAsync ? { ...request.body, background: true } : request.body
    const run = key === undefined ? desk.execute(body) : await desk.executeOnce(String(key), body)
    return isAsync ? accept(run, reply) : answer(run, request, reply)
  })
}

const Headers = Type.Object({
  'idempotency-key': Type.Optional(Type.String({ description: 'The same key and body give the same run' })),
  prefer: Type.Optional(Type.String({ description: 'respond-async: as "background": true (RFC 7240)' })),
})

const Accepted = Type.Object({ id: Type.String(), status: RunStatus })

const prefersAsync = (prefer: string | string[] | undefined) =>
  /(^|,)\s*respond-async\s*(,|;|$)/i.test(String(prefer ?? ''))

function accept(run: Watched, reply: FastifyReply): FastifyReply {
  reply.code(202).headers({ location: `/runs/${run.id}`, 'run-id': run.id })
  return reply.send({ id: run.id, status: run.lifecycle.status })
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

/** The record as JSON, its text alone, or its events; a client that goes away cancels its command. */
async function answer(run: Watched, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const leave = run.join()
  if (reply.raw.destroyed) leave() // gone already, while it waited for its turn
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) leave()
  })
  const representation = representationFor(request.headers.accept)
  reply.header('run-id', run.id)
  if (representation === 'text/event-stream') return sendEvents(run, { stdout: 0, stderr: 0 }, reply)
  const record = await run.finished
  reply.code(record.status === 'denied' ? 403 : 200).header('exit-code', record.exit_code)
  if (representation === 'text/plain') return reply.type('text/plain; charset=utf-8').send(record.output)
  return reply.send(record)
}

function recordReply(description: string) {
  return {
    description,
    headers: { 'Run-Id': { type: 'string' }, 'Exit-Code': { type: 'integer' } },
    content: {
      'application/json': { schema: ExecRecord },
      'text/plain': { schema: { type: 'string', description: "FEAT-029's formatted text" } },
      'text/event-stream': { schema: { type: 'string', description: 'status, output and result events' } },
    },
  }
}
