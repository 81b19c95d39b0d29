import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { type CallClass, carriedHeaders, classRowOf, ShellphoneError } from '../../../shared/schema/index.ts'
import { type ResponseSink, PhoneCall } from '../calls/call.ts'
import { isRepeatable } from '../calls/call-states.ts'
import { leaveRun } from '../calls/cancel.ts'
import type { ExecutionParts } from '../calls/execution.ts'
import { createFeed } from '../calls/feed.ts'
import { KEPT, windowFor } from '../calls/resume-call.ts'
import type { PhoneRequest } from '../calls/phone-request.ts'
import type { Phones } from '../broker/phones.ts'
import { type PlaneUser, mustBe } from '../keys/roles.ts'

/** A request for a phone, as it came to a plane. */
export interface PassedRequest {
  name: string
  method: string
  /** query and all, as the phone is to see it */
  path: string
  headers: NodeJS.Dict<string | string[]>
  /** a stream: longer than a message of the fleet, or nobody knows */
  body: Buffer | Readable | undefined
  caller: PlaneUser
  /** the client has gone */
  gone: AbortSignal
}

interface GatewayParts extends ExecutionParts {
  phones: Phones
}

/** Who still sends what was refused has so long to hear why. */
const ERROR_READ_MS = 2_000

/** One request, its rights judged, handed to the phone and gone on with until it is answered whole. Throws before an answer has begun. */
export async function pass(parts: GatewayParts, passed: PassedRequest, to: ResponseSink): Promise<void> {
  const first = toQuestion(parts.phones, passed)
  try {
    if (passed.body instanceof Readable) await passLong(parts, first, to, passed.body)
    else await passCall(new PhoneCall(parts, first, to), passed.gone)
  } catch (error) {
    if (!passed.gone.aborted) throw error
    await leave(parts, first, passed)
  }
}

/** Throws before an answer has begun; what has begun is cut. */
async function passCall(call: PhoneCall, gone: AbortSignal): Promise<void> {
  try {
    await call.answer()
  } catch (error) {
    if (!call.hasBegun || gone.aborted) throw error
    call.to.cut()
  } finally {
    call.close()
  }
}

/** As at the phone itself: what runs for a client that leaves ends with it, unless the client named a key to come back with. */
async function leave(
  parts: GatewayParts,
  { name, by, home, headers = {} }: PhoneRequest,
  { headers: given }: PassedRequest,
): Promise<void> {
  const key = headers['idempotency-key']
  if (key !== undefined && given['idempotency-key'] === undefined) await leaveRun(parts, { name, by, home }, key)
}

/** The body goes into a channel while the answer is waited for. */
async function passLong(parts: GatewayParts, first: PhoneRequest, to: ResponseSink, body: Readable): Promise<void> {
  const failed = new AbortController()
  const question = { ...first, ...KEPT, signal: AbortSignal.any([first.signal!, failed.signal]) }
  let onChannel = (_id: string) => {}
  const opened = new Promise<string>((resolve) => (onChannel = resolve))
  const feed = createFeed(parts.asking, question, opened).on('error', (error) => failed.abort(error))
  body.pipe(feed)
  try {
    await passCall(new PhoneCall(parts, question, to, onChannel), first.signal!)
  } catch (error) {
    throw failed.signal.aborted ? failed.signal.reason : error
  } finally {
    body.unpipe(feed).resume()
    feed.destroy()
    if (!body.readableEnded) setTimeout(() => body.destroy(), ERROR_READ_MS).unref()
  }
}

/** What the phone is asked. NOT_FOUND, FORBIDDEN, PHONE_CONFLICT. */
function toQuestion(phones: Phones, { name, method, path, headers, body, caller, gone }: PassedRequest): PhoneRequest {
  const callClass = classFor(method, path, caller)
  phones.get(name, caller.selector)
  phones.mustBeOne(name)
  const own: Record<string, string> = {}
  for (const header of carriedHeaders) if (headers[header] !== undefined) own[header] = String(headers[header])
  const length = headers['content-length']
  if (body instanceof Readable && length !== undefined) own['content-length'] = String(length)
  if (method === 'POST' && path.startsWith('/exec')) own['idempotency-key'] ??= randomUUID()
  const question: PhoneRequest = { name, callClass, by: caller.name, method, path, headers: own, signal: gone }
  return {
    ...question,
    ...windowFor(question),
    ...(body instanceof Uint8Array && { body }),
    home: phones.homeOf(name),
    isRepeatable: isRepeatable(question),
  }
}

function classFor(method: string, path: string, caller: PlaneUser): CallClass {
  const row = classRowOf(method, path)
  if (row === null) throw new ShellphoneError('NOT_FOUND', `No such route of a phone: ${method} ${path.split('?')[0]}`)
  if (row.callClass === null) {
    throw new ShellphoneError('FORBIDDEN', `${method} ${row.path}: not through a fleet: ${row.why}`)
  }
  if (row.callClass === 'answer') mustBe('person', caller)
  return caller.role === 'agent' ? row.callClass : 'answer'
}
