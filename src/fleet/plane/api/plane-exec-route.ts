import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  check,
  ExecRequest,
  invalid,
  parseSelector,
  type Selector,
  ShellphoneError,
} from '../../../shared/schema/index.ts'
import { fanOut, pickOne } from '../jobs/fan-out.ts'
import type { FanResult } from '../jobs/phone-results.ts'
import { callerOf } from './configure-http.ts'
import { jobId } from '../jobs/jobs.ts'
import type { FleetPhone } from '../broker/fleet-phone.ts'
import type { PlaneParts } from './plane-parts.ts'
import { passRequest } from './phone-routes.ts'
import type { PlaneUser } from '../keys/roles.ts'
import { FanReply, JobAccepted } from './plane-replies.ts'
import { disconnectSignal, type App, bodyOf, errorResponses, startEvents } from '../../../http/index.ts'

/** The longest time that a job may wait for its phones. The streams store jobs for one day more. */
const MAX_QUEUE_SECONDS = 7 * 86_400
const MAX_WAIT_SECONDS = 300
const WAIT_SECONDS = 30

/** The fields that a control plane's POST /exec has in addition to a phone's. */
const PlaneFields = Type.Object({
  phones: Type.String({ description: 'A selector: lab=berlin,arm64 or name=NAME or *', maxLength: 4096 }),
  wait_seconds: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      description: 'Return the results that arrive within this time (default: 30)',
    }),
  ),
  queue_seconds: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: MAX_QUEUE_SECONDS,
      description: 'Queue a job and respond with 202 at once; offline phones get it if they return within this time',
    }),
  ),
  pick: Type.Optional(Type.Literal(1, { description: 'Run only on the least busy of the selected phones' })),
})
type PlaneFields = Static<typeof PlaneFields>

/** The body of POST /exec without the header X-Phone. The route checks it itself, because with the header the body is the phone's. */
export const PlaneExecRequest = Type.Composite([PlaneFields, ExecRequest], {
  description: 'A command and the phones that it is for',
})
const execSchema = {
  summary: 'Run a command on several phones',
  operationId: 'execOnPhones',
  tags: ['jobs'],
  response: {
    200: {
      description:
        'The results so far; with Accept: text/event-stream an event accepted with name and run_id for each phone that has accepted the command, an event phone for each result, then result',
      content: {
        'application/json': { schema: FanReply },
        'text/event-stream': { schema: Type.String() },
      },
    },
    202: {
      description: 'With queue_seconds: the job',
      content: { 'application/json': { schema: JobAccepted } },
    },
    ...errorResponses(400, 413, {
      404: 'the selector matches no phone that this token may reach',
      409: 'the Idempotency-Key was used with another request',
      503: 'phone_offline: no selected phone is connected; broker_unavailable: the broker is unreachable; pool_full: too many queued commands',
    }),
  },
}

/** POST /exec: runs a command on one phone (header X-Phone) or on all selected phones, or queues a job that also waits for offline phones. */
export async function execRoutes(app: App, parts: PlaneParts): Promise<void> {
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const phone = request.headers['x-phone']
    if (phone !== undefined) return passRequest(parts, request, reply, String(phone), request.url)
    return execMany(parts, request, reply)
  }
  app.post('/exec', { schema: execSchema }, handle)
  app.post('/exec/:dialect', { schema: { hide: true } }, handle) // the phone's own contract describes it
}

async function execMany(parts: PlaneParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const caller = callerOf(request)
  const { fields, body } = readFields(request)
  const targets = selectPhones(parts, fields.phones, caller)
  const key = keyOf(request)
  if (fields.queue_seconds !== undefined) return submit(parts, { fields, body, targets, key, caller }, reply)
  const gone = disconnectSignal(reply)
  const seconds = fields.wait_seconds ?? WAIT_SECONDS
  const over = AbortSignal.any([gone, AbortSignal.timeout(seconds * 1000)])
  setMaxListeners(0, over) // each phone adds a listener
  const results = new Map<string, FanResult>()
  const job = jobId(caller.name, key)
  const stream = /text\/event-stream/.test(request.headers.accept ?? '') ? startEvents(reply) : null
  const command = {
    ...{ request: body, by: caller.name, key: job, signal: over },
    untilAccepted: (body as { background?: boolean }).background === true,
    onAccepted: (name: string, run_id: string) => stream?.send('accepted', { name, run_id }),
    onResult(name: string, result: FanResult) {
      results.set(name, result)
      stream?.send('phone', { name, ...result })
    },
  }
  await (fields.pick ? pickOne : fanOut)(parts, targets, command).catch((error: ShellphoneError) => {
    if (stream === null) throw error
    stream.send('error', error.toBody())
  })
  const counts = countsOf(results.values())
  if (stream === null) return reply.send({ job, counts, phones: Object.fromEntries(results) })
  stream.send('result', { job, counts })
  return stream.end()
}

/** Splits the body into the control plane's own fields and the request for the phones. Throws VALIDATION_ERROR. */
function readFields({ body }: FastifyRequest): { fields: PlaneFields; body: ExecRequest } {
  const all = bodyOf(body) as Record<string, unknown>
  if (typeof all !== 'object' || all === null || !('phones' in all)) {
    throw invalid('phones: expected a selector (or the header X-Phone)', 'phones')
  }
  const { phones, wait_seconds, queue_seconds, pick, ...rest } = all
  const present = Object.entries({ phones, wait_seconds, queue_seconds, pick }).filter(
    ([, value]) => value !== undefined,
  )
  const fields = check(PlaneFields, Object.fromEntries(present))
  if (fields.pick && fields.queue_seconds !== undefined) {
    throw invalid('pick: not allowed with queue_seconds, because a job runs on all selected phones', 'pick')
  }
  return { fields, body: check(ExecRequest, rest) }
}

/** The phones that match both the selector and the token. Throws NOT_FOUND if no phone matches. */
function selectPhones({ phones }: PlaneParts, text: string, { selector }: PlaneUser): FleetPhone[] {
  const wanted: Selector = [...parseSelector(text), ...selector]
  const found = phones.list(wanted)
  if (found.length > 0) return found
  const hint = phones.find(text, selector) ? `; did you mean name=${text}?` : ''
  throw new ShellphoneError(
    'NOT_FOUND',
    `phones: ${JSON.stringify(text.slice(0, 60))} matches no phone of this fleet${hint}`,
    { field: 'phones' },
  )
}

function keyOf({ headers }: FastifyRequest): string {
  const key = headers['idempotency-key']
  if (key === undefined) return randomUUID()
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw invalid('Idempotency-Key: expected 1 to 255 visible ASCII characters')
}

interface Submission {
  fields: PlaneFields
  body: ExecRequest
  targets: FleetPhone[]
  key: string
  caller: PlaneUser
}

async function submit(parts: PlaneParts, submission: Submission, reply: FastifyReply): Promise<FastifyReply> {
  const { fields, body, targets, key, caller } = submission
  const phones = targets.map(({ name }) => name)
  const job = await parts.jobs.submit(
    { by: caller.name, request: body, phones, ttl_seconds: fields.queue_seconds! },
    key,
  )
  reply.code(202).header('location', `/jobs/${job.id}`)
  return reply.send({ job: job.id, phones: job.phones.length })
}

function countsOf(results: Iterable<FanResult>): Record<string, number> {
  const counts: Record<string, number> = { ended: 0, offline: 0, silent: 0, running: 0 }
  for (const { state } of results) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
