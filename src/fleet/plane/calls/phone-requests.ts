import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto'
import type { Msg } from '@nats-io/transport-node'
import {
  boundedJson,
  firstError,
  FLEET_MAX_BODY_BYTES,
  FLEET_PART_BYTES,
  FLEET_MAX_WINDOW_BYTES,
  FLEET_SILENT_MS,
  HEAD_HEADER,
  inboxPrefix,
  PartHead,
  NONCE_HEADER,
  PLANE_CALLER,
  ShellphoneError,
} from '../../../shared/schema/index.ts'
import { garbled, offline, silent } from './ask-errors.ts'
import { toMessage } from './call-message.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import type { PhoneRequest } from './phone-request.ts'

/** The beginning of an answer, or a piece of its body. */
export interface Piece {
  status?: number
  headers?: Record<string, string>
  /** the id of the channel that was opened */
  channel?: string
  data: Uint8Array
}

interface End {
  /** `more`: ask again, from what came */
  end: 'eof' | 'more'
  trailers: Record<string, string>
}

/** An answer that is held whole. */
interface WholeResponse extends End {
  /** 0: nothing was to be said within the wait */
  status: number
  headers: Record<string, string>
  body: Buffer
}

export interface PhoneRequests {
  /**
   * Sends it; hands over the pieces as they come. PHONE_OFFLINE: nobody listens, it was not sent. PHONE_SILENT: it was sent, and no answer, or no
   * whole one, came. PHONE_GARBLED: an answer that is none. BROKER_UNAVAILABLE: not sent.
   */
  ask(question: PhoneRequest, take: (piece: Piece) => void): Promise<End>
  /** The same, held whole. */
  whole(question: PhoneRequest): Promise<WholeResponse>
  /** That phone has a new connection: what was asked before is asked again. */
  heard(name: string): void
  /** questions that wait for their answer */
  open(): number
  close(): void
}

/** Questions at once; the next one is refused. */
const MAX_OPEN = 20_000
const NOTHING = new Uint8Array()

interface WaitingRequest {
  question: PhoneRequest
  hear(message: Msg): void
  fail(error: ShellphoneError): void
}

/** Asks phones; a part of an answer finds its question by its subject. `signer`: a private key of Ed25519, PEM; null: unsigned. */
export function createPhoneRequests({ nc, mustBeUp, onChange }: BrokerLink, signer: string | null): PhoneRequests {
  const prefix = `${inboxPrefix(PLANE_CALLER)}.${randomBytes(9).toString('hex')}`
  const waiting = new Map<string, WaitingRequest>()
  const key = signer === null ? null : createPrivateKey(signer)
  const inbox = nc.subscribe(`${prefix}.*`, {
    callback: (_error, message) => waiting.get(message.subject.slice(prefix.length + 1))?.hear(message),
  })
  const failAll = (is: (question: PhoneRequest) => boolean, why: string) => {
    for (const { question, fail } of [...waiting.values()]) if (is(question)) fail(silent(question, why))
  }
  onChange((isUp) => isUp || failAll(() => true, 'the broker was lost'))
  /** by the phone's name: what its calls must name */
  const nonces = new Map<string, string>()
  const askOnce = async (question: PhoneRequest, take: (piece: Piece) => void, isLast: boolean) => {
    mustBeUp()
    checkSize(question, waiting.size)
    const call = randomUUID()
    const wait = deadline(question)
    try {
      return await new Promise<End>((resolve, reject) => {
        wait.onOver(reject)
        const nonce = key === null ? undefined : nonces.get(question.name)
        const note = (status: number | undefined, told: string) => {
          nonces.set(question.name, told)
          if (status === UNAUTHORIZED && key !== null && told !== nonce && !isLast) throw new StaleNonce()
        }
        const read = createReader(question, { call, take, note, resolve, fail: reject })
        const hear = (message: Msg) => {
          wait.heard()
          try {
            read(message)
          } catch (error) {
            reject(error) // the connection is all callers'
          }
        }
        waiting.set(call, { question, hear, fail: reject })
        nc.publish(...toMessage(question, { call, reply: `${prefix}.${call}`, key, nonce }))
      })
    } finally {
      waiting.delete(call)
      wait.end()
    }
  }
  /** A call that named another nonce than the phone has was not taken: it is sent once more. */
  const ask: PhoneRequests['ask'] = (question, take) =>
    askOnce(question, take, false).catch((error) => {
      if (error instanceof StaleNonce) return askOnce(question, take, true)
      throw error
    })
  return {
    ask,
    whole: (question) => gather(question, ask),
    heard: (name) => failAll((one) => one.name === name && one.isRepeatable === true, 'the phone has connected anew'),
    open: () => waiting.size,
    close: () => inbox.unsubscribe(),
  }
}

function checkSize({ body = NOTHING }: PhoneRequest, open: number): void {
  if (body.length > FLEET_MAX_BODY_BYTES) {
    const message = `body: expected at most ${FLEET_MAX_BODY_BYTES} bytes through a fleet, got ${body.length}: send it in pieces`
    throw new ShellphoneError('TOO_LARGE', message)
  }
  if (open >= MAX_OPEN) {
    throw new ShellphoneError('POOL_FULL', `${MAX_OPEN} requests are already waiting`, { retryAfterSeconds: 1 })
  }
}

/** The end of a wait, by the clock, which each part sets back, or by whoever waits. */
function deadline(question: PhoneRequest) {
  const { signal } = question
  let over = (_error: ShellphoneError) => {}
  const timer = setTimeout(() => over(silent(question, `nothing for ${FLEET_SILENT_MS} ms`)), FLEET_SILENT_MS)
  const leave = () => over(silent(question, 'the wait was ended'))
  signal?.addEventListener('abort', leave, { once: true })
  return {
    onOver(listener: (error: ShellphoneError) => void) {
      over = listener
      if (signal?.aborted) leave()
    },
    heard: () => void timer.refresh(),
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    },
  }
}

class StaleNonce extends Error {}
const UNAUTHORIZED = 401

interface Reading {
  call: string
  take(piece: Piece): void
  /** The phone names its nonce; throws where the question is to be sent again. */
  note(status: number | undefined, nonce: string): void
  resolve(end: End): void
  fail(error: ShellphoneError): void
}

/** Takes the parts of one answer, in their order; one that came before is passed over, one that is missing ends it. */
function createReader(question: PhoneRequest, { call, take, note, resolve, fail }: Reading): (message: Msg) => void {
  const { window = FLEET_MAX_WINDOW_BYTES } = question
  let [next, bytes] = [0, 0]
  const reject = (error: ShellphoneError) => {
    next = Number.POSITIVE_INFINITY // what is behind it is not read
    fail(error)
  }
  return (message) => {
    if (message.headers?.code === NO_RESPONDERS) return reject(offline(question))
    const head = readHead(message)
    if (head === null) return reject(garbled(question, 'a part without a head'))
    if (head.call !== call) return reject(garbled(question, 'a part of another answer'))
    if (head.part < next) return
    if (head.part > next) return reject(garbled(question, `expected part ${next}, got ${head.part}`))
    next += 1
    bytes += message.data.length
    if (bytes > window + FLEET_PART_BYTES) return reject(garbled(question, `expected at most ${window} bytes`))
    const { status, channel, end, trailers = {} } = head
    const { [NONCE_HEADER]: nonce, ...headers } = head.headers ?? {}
    if (nonce !== undefined) note(status, nonce)
    if (status !== undefined || channel || message.data.length > 0) {
      take({
        ...(status && { status }),
        ...(head.headers && { headers }),
        ...(channel && { channel }),
        data: message.data,
      })
    }
    if (end) resolve({ end, trailers })
  }
}

const NO_RESPONDERS = 503

function readHead({ headers }: Msg): PartHead | null {
  try {
    const head = boundedJson(Buffer.from(headers?.get(HEAD_HEADER) ?? ''), HEAD_HEADER)
    return firstError(PartHead, head) === null ? (head as PartHead) : null
  } catch {
    return null
  }
}

async function gather(question: PhoneRequest, ask: PhoneRequests['ask']): Promise<WholeResponse> {
  const pieces: Piece[] = []
  const { end, trailers } = await ask(question, (piece) => pieces.push(piece))
  const { status = 0, headers = {} } = pieces[0] ?? {}
  return { status, headers, body: Buffer.concat(pieces.map(({ data }) => data)), end, trailers }
}
