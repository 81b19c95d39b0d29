import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { type CallClass, carriedHeaders, classRowOf, ShellphoneError } from '../schema/index.ts'
import { createEventReader } from '../transport/index.ts'
import type { Asking } from './ask.ts'
import type { Question } from './question.ts'
import { leaveRun } from './cancel.ts'
import type { ExecutionParts } from './exec.ts'
import { closeChannel, createFeed } from './feed.ts'
import { goOn, isEventStream, isRepeatable, KEPT, type Sent, windowFor } from './go-on.ts'
import type { Phones } from './phones.ts'
import { type Caller, mustBe } from './roles.ts'

/** A request for a phone, as it came to a plane. */
export interface Passed {
  name: string
  method: string
  /** query and all, as the phone is to see it */
  path: string
  headers: NodeJS.Dict<string | string[]>
  /** a stream: longer than a message of the fleet, or nobody knows */
  body: Buffer | Readable | undefined
  caller: Caller
  /** the client has gone */
  gone: AbortSignal
}

/** Where a phone's answer goes, as it comes. */
export interface Answering {
  begin(status: number, headers: Record<string, string>): void
  /** resolves when there is room for more */
  write(bytes: Uint8Array): Promise<void>
  end(trailers: Record<string, string>): void
  /** what has begun cannot be ended well */
  cut(): void
}

interface GatewayParts extends ExecutionParts {
  phones: Phones
}

/** A phone that says nothing for so long is given up. */
const PATIENCE_MS = 60_000
const AGAIN_MS = 500
/** Who still sends what was refused has so long to hear why. */
const LAST_WORDS_MS = 2_000

/** One request, its rights judged, handed to the phone and gone on with until it is answered whole. Throws before an answer has begun. */
export async function pass(parts: GatewayParts, passed: Passed, to: Answering): Promise<void> {
  const first = toQuestion(parts.phones, passed)
  const sent: Sent = { status: 0, headers: {}, bytes: 0, eventId: null, channel: null, onChannel: () => {} }
  try {
    if (passed.body instanceof Readable) await passLong(parts.asking, first, sent, to, passed.body)
    else await passAll(parts.asking, first, sent, to)
  } catch (error) {
    if (passed.gone.aborted) return leave(parts, first, passed)
    if (sent.status === 0) throw error
    to.cut()
  } finally {
    dropChannel(parts.asking, first, sent)
  }
}

/** As at the phone itself: what runs for a client that leaves ends with it, unless the client named a key to come back with. */
async function leave(
  parts: GatewayParts,
  { name, by, home, headers = {} }: Question,
  { headers: given }: Passed,
): Promise<void> {
  const key = headers['idempotency-key']
  if (key !== undefined && given['idempotency-key'] === undefined) await leaveRun(parts, { name, by, home }, key)
}

function dropChannel(asking: Asking, first: Question, sent: Sent): void {
  if (sent.channel !== null) closeChannel(asking, first, sent.channel)
  sent.channel = null
}

/** The body goes into a channel while the answer is waited for. */
async function passLong(asking: Asking, first: Question, sent: Sent, to: Answering, body: Readable): Promise<void> {
  const failed = new AbortController()
  const opened = new Promise<string>((resolve) => (sent.onChannel = resolve))
  const question = { ...first, ...KEPT, signal: AbortSignal.any([first.signal!, failed.signal]) }
  const feed = createFeed(asking, question, opened).on('error', (error) => failed.abort(error))
  body.pipe(feed)
  try {
    await passAll(asking, question, sent, to)
  } catch (error) {
    throw failed.signal.aborted ? failed.signal.reason : error
  } finally {
    body.unpipe(feed).resume()
    feed.destroy()
    if (!body.readableEnded) setTimeout(() => body.destroy(), LAST_WORDS_MS).unref()
  }
}

/** What the phone is asked. NOT_FOUND, FORBIDDEN, PHONE_CONFLICT. */
function toQuestion(phones: Phones, { name, method, path, headers, body, caller, gone }: Passed): Question {
  const callClass = classFor(method, path, caller)
  phones.get(name, caller.selector)
  phones.mustBeOne(name)
  const own: Record<string, string> = {}
  for (const header of carriedHeaders) if (headers[header] !== undefined) own[header] = String(headers[header])
  const length = headers['content-length']
  if (body instanceof Readable && length !== undefined) own['content-length'] = String(length)
  if (method === 'POST' && path.startsWith('/exec')) own['idempotency-key'] ??= randomUUID()
  const question: Question = { name, callClass, by: caller.name, method, path, headers: own, signal: gone }
  return {
    ...question,
    ...windowFor(question),
    ...(body instanceof Uint8Array && { body }),
    home: phones.homeOf(name),
    isRepeatable: isRepeatable(question),
  }
}

function classFor(method: string, path: string, caller: Caller): CallClass {
  const row = classRowOf(method, path)
  if (row === null) throw new ShellphoneError('NOT_FOUND', `No such route of a phone: ${method} ${path.split('?')[0]}`)
  if (row.callClass === null) {
    throw new ShellphoneError('FORBIDDEN', `${method} ${row.path}: not through a fleet: ${row.why}`)
  }
  if (row.callClass === 'answer') mustBe('person', caller)
  return caller.role === 'agent' ? row.callClass : 'answer'
}

async function passAll(asking: Asking, first: Question, sent: Sent, to: Answering): Promise<void> {
  let heardAt = performance.now()
  for (let question: Question | null = first; question !== null; question = goOn(first, sent)) {
    if (isWhole(sent)) return to.end({})
    const wasBytes = sent.bytes
    try {
      if (await passOne(asking, question, sent, to)) return
      heardAt = performance.now()
    } catch (error) {
      if (sent.bytes > wasBytes) heardAt = performance.now()
      const isOver = performance.now() - heardAt > PATIENCE_MS || first.signal?.aborted
      if (isOver || !mayAskAgain(error, question, sent)) throw error
      dropChannel(asking, first, sent)
      await pause(AGAIN_MS, undefined, { signal: first.signal! }).catch(() => {})
    }
  }
  throw new ShellphoneError('PHONE_SILENT', `${first.name} gave a part of an answer that cannot be gone on with`)
}

/** The client has all that it was told of, and may send its next request behind it. */
const isWhole = ({ headers, bytes }: Sent) => bytes > 0 && bytes === Number(headers['content-length'])

function mayAskAgain(error: unknown, question: Question, sent: Sent): boolean {
  const { code } = error as ShellphoneError
  if (code === 'EXPIRED') return Boolean(question.channel?.id) // the phone keeps it no longer
  if (code === 'PHONE_SILENT' || code === 'PHONE_GARBLED') return question.isRepeatable === true
  return sent.status > 0 && (code === 'PHONE_OFFLINE' || code === 'BROKER_UNAVAILABLE')
}

/** One question; true where its answer was the whole rest. */
async function passOne(asking: Asking, question: Question, sent: Sent, to: Answering): Promise<boolean> {
  const read = createEventReader()
  let last = Promise.resolve()
  let trouble: ShellphoneError | null = null
  const { end, trailers } = await asking.ask(question, ({ status, headers = {}, data, channel }) => {
    if (channel) sent.onChannel((sent.channel = channel))
    if (status !== undefined) trouble = isLost(question, status) ? lost(status) : begin(status, headers, sent, to)
    if (trouble === null && data.length > 0) last = forward(data, read, sent, to)
  })
  if (trouble !== null) throw trouble
  await last
  if (end === 'more') return false
  sent.channel = null
  to.end(trailers)
  return true
}

/** The first answer's head goes to the client; a later one must be of the same thing. */
function begin(status: number, headers: Record<string, string>, sent: Sent, to: Answering): ShellphoneError | null {
  if (sent.status === 0) {
    Object.assign(sent, { status, headers })
    to.begin(status, headers)
    return null
  }
  if (status === 204 && isEventStream(sent)) return null // all was told
  if (status === 200 || status === 206) return null
  return lost(status)
}

/** The phone has closed the channel. */
const isLost = ({ channel }: Question, status: number) => Boolean(channel?.id) && status === 410
const lost = (status: number) => new ShellphoneError('EXPIRED', `the rest of the answer cannot be had: HTTP ${status}`)

function forward(
  data: Uint8Array,
  read: ReturnType<typeof createEventReader>,
  sent: Sent,
  to: Answering,
): Promise<void> {
  if (!isEventStream(sent)) {
    sent.bytes += data.length
    return to.write(data)
  }
  const events = read(data)
  if (events.length === 0) return Promise.resolve()
  for (const { id } of events) if (id !== '') sent.eventId = id
  const text = Buffer.from(events.map((event) => event.text).join(''))
  sent.bytes += text.length
  return to.write(text)
}
