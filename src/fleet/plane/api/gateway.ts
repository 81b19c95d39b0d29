import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { type CallClass, forwardedHeaders, classRowOf, ShellphoneError } from '../../../shared/schema/index.ts'
import { type ResponseSink, PhoneCall } from '../calls/call.ts'
import { isRepeatable } from '../calls/call-states.ts'
import { leaveRun } from '../calls/cancel.ts'
import type { ExecutionParts } from '../calls/execution.ts'
import { createFeed } from '../calls/feed.ts'
import { CHANNEL_OPTIONS, windowFor } from '../calls/resume-call.ts'
import type { PhoneRequest } from '../calls/phone-request.ts'
import type { Phones } from '../broker/phones.ts'
import { type PlaneUser, mustBe } from '../keys/roles.ts'

/** A client's request for a phone. */
export interface PassedRequest {
  name: string
  method: string
  /** the path on the phone, with the query */
  path: string
  headers: NodeJS.Dict<string | string[]>
  /** a stream if the body is longer than one message of the fleet or its length is unknown */
  body: Buffer | Readable | undefined
  caller: PlaneUser
  /** aborted when the client disconnects */
  gone: AbortSignal
}

interface GatewayParts extends ExecutionParts {
  phones: Phones
}

/** How long the connection of a client that is still sending a rejected body stays open, so that the client can read the error. */
const ERROR_READ_MS = 2_000

/** Checks the caller's rights, sends the request to the phone, and resumes until the response is complete. Throws only before the response has begun. */
export async function pass(parts: GatewayParts, passed: PassedRequest, to: ResponseSink): Promise<void> {
  const first = toPhoneRequest(parts.phones, passed)
  try {
    if (passed.body instanceof Readable) await passLong(parts, first, to, passed.body)
    else await passCall(new PhoneCall(parts, first, to), passed.gone)
  } catch (error) {
    if (!passed.gone.aborted) throw error
    await leave(parts, first, passed)
  }
}

/** Runs a call. If it fails, throws, or cuts the response off if it has already begun. */
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

/** Cancels a foreground run whose client has disconnected, as a single phone does, unless the client sent an idempotency key to resume with. */
async function leave(
  parts: GatewayParts,
  { name, by, home, headers = {} }: PhoneRequest,
  { headers: clientHeaders }: PassedRequest,
): Promise<void> {
  const key = headers['idempotency-key']
  if (key !== undefined && clientHeaders['idempotency-key'] === undefined)
    await leaveRun(parts, { name, by, home }, key)
}

/** Sends a long body through a channel while the response is pending. */
async function passLong(parts: GatewayParts, first: PhoneRequest, to: ResponseSink, body: Readable): Promise<void> {
  const failed = new AbortController()
  const request = { ...first, ...CHANNEL_OPTIONS, signal: AbortSignal.any([first.signal!, failed.signal]) }
  let onChannel = (_id: string) => {}
  const opened = new Promise<string>((resolve) => (onChannel = resolve))
  const feed = createFeed(parts.phoneRequests, request, opened).on('error', (error) => failed.abort(error))
  body.pipe(feed)
  try {
    await passCall(new PhoneCall(parts, request, to, onChannel), first.signal!)
  } catch (error) {
    throw failed.signal.aborted ? failed.signal.reason : error
  } finally {
    body.unpipe(feed).resume()
    feed.destroy()
    if (!body.readableEnded) setTimeout(() => body.destroy(), ERROR_READ_MS).unref()
  }
}

/** Creates the request for the phone. Throws NOT_FOUND, FORBIDDEN, PHONE_CONFLICT. */
function toPhoneRequest(
  phones: Phones,
  { name, method, path, headers, body, caller, gone }: PassedRequest,
): PhoneRequest {
  const callClass = classFor(method, path, caller)
  phones.get(name, caller.selector)
  phones.mustBeOne(name)
  const own: Record<string, string> = {}
  for (const header of forwardedHeaders) if (headers[header] !== undefined) own[header] = String(headers[header])
  const length = headers['content-length']
  if (body instanceof Readable && length !== undefined) own['content-length'] = String(length)
  if (method === 'POST' && path.startsWith('/exec')) own['idempotency-key'] ??= randomUUID()
  const request: PhoneRequest = { name, callClass, by: caller.name, method, path, headers: own, signal: gone }
  return {
    ...request,
    ...windowFor(request),
    ...(body instanceof Uint8Array && { body }),
    home: phones.homeOf(name),
    isRepeatable: isRepeatable(request),
  }
}

function classFor(method: string, path: string, caller: PlaneUser): CallClass {
  const row = classRowOf(method, path)
  if (row === null) throw new ShellphoneError('NOT_FOUND', `Phones have no route ${method} ${path.split('?')[0]}`)
  if (row.callClass === null) {
    throw new ShellphoneError('FORBIDDEN', `${method} ${row.path} is not available through a fleet: ${row.why}`)
  }
  if (row.callClass === 'answer') mustBe('person', caller)
  return caller.role === 'agent' ? row.callClass : 'answer'
}
