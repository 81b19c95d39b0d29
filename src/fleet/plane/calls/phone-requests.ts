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
import { garbled, offline, silent } from './request-errors.ts'
import { toMessage } from './call-message.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import type { PhoneRequest } from './phone-request.ts'

/** The head of a response, or a piece of its body. */
export interface Piece {
  status?: number
  headers?: Record<string, string>
  /** the id of the opened channel */
  channel?: string
  data: Uint8Array
}

interface End {
  /** `more`: the response is incomplete, and the caller must request the rest */
  end: 'eof' | 'more'
  trailers: Record<string, string>
}

/** A response with its complete body. */
interface WholeResponse extends End {
  /** 0: the phone had nothing to send within the wait */
  status: number
  headers: Record<string, string>
  body: Buffer
}

export interface PhoneRequests {
  /**
   * Sends a request and passes the pieces of the response to `onPiece` as they arrive. Throws PHONE_SILENT if the request was sent but no complete
   * response arrived, and PHONE_GARBLED for a malformed response. Throws PHONE_OFFLINE (no phone is listening), BROKER_UNAVAILABLE, POOL_FULL
   * and TOO_LARGE if the request was not sent.
   */
  stream(request: PhoneRequest, onPiece: (piece: Piece) => void): Promise<End>
  /** Like `stream`, but resolves with the whole response. */
  fetch(request: PhoneRequest): Promise<WholeResponse>
  /** Call this when a phone has a new connection. Its repeatable requests fail with PHONE_SILENT, so that they are sent again. */
  phoneReconnected(name: string): void
  /** the number of requests that wait for a response */
  open(): number
  close(): void
}

/** The maximum number of requests that wait for a response. */
const MAX_OPEN = 20_000
const NOTHING = new Uint8Array()

interface PendingRequest {
  request: PhoneRequest
  receive(message: Msg): void
  fail(error: ShellphoneError): void
}

/**
 * Sends requests to phones. The subject of each part of a response contains the id of the request. `signer`: an Ed25519 private key in PEM;
 * null: requests are not signed. `onOffline`: called with the name of a phone that the broker reports as not connected.
 */
export function createPhoneRequests(
  { nc, mustBeUp, onChange }: BrokerLink,
  signer: string | null,
  onOffline: (name: string) => void,
): PhoneRequests {
  const prefix = `${inboxPrefix(PLANE_CALLER)}.${randomBytes(9).toString('hex')}`
  const pending = new Map<string, PendingRequest>()
  const key = signer === null ? null : createPrivateKey(signer)
  const inbox = nc.subscribe(`${prefix}.*`, {
    callback: (_error, message) => pending.get(message.subject.slice(prefix.length + 1))?.receive(message),
  })
  const failAll = (isConcerned: (request: PhoneRequest) => boolean, why: string) => {
    for (const { request, fail } of [...pending.values()]) if (isConcerned(request)) fail(silent(request, why))
  }
  onChange((isUp) => isUp || failAll(() => true, 'the connection to the broker was lost'))
  /** the nonces that calls must name, by the name of the phone */
  const nonces = new Map<string, string>()
  const sendOnce = async (request: PhoneRequest, onPiece: (piece: Piece) => void, isLast: boolean) => {
    mustBeUp()
    checkSize(request, pending.size)
    const call = randomUUID()
    const wait = deadline(request)
    try {
      return await new Promise<End>((resolve, reject) => {
        wait.onOver(reject)
        const nonce = key === null ? undefined : nonces.get(request.name)
        const onNonce = (status: number | undefined, newNonce: string) => {
          nonces.set(request.name, newNonce)
          if (status === UNAUTHORIZED && key !== null && newNonce !== nonce && !isLast) throw new StaleNonce()
        }
        const read = createReader(request, { call, onPiece, onNonce, onOffline, resolve, fail: reject })
        const receive = (message: Msg) => {
          wait.restart()
          try {
            read(message)
          } catch (error) {
            reject(error) // all callers share the subscription, so an error must not escape
          }
        }
        pending.set(call, { request, receive, fail: reject })
        nc.publish(...toMessage(request, { call, reply: `${prefix}.${call}`, key, nonce }))
      })
    } finally {
      pending.delete(call)
      wait.end()
    }
  }
  /** Sends a request. If the phone rejects its nonce as outdated, sends it once more with the new one. */
  const stream: PhoneRequests['stream'] = (request, onPiece) =>
    sendOnce(request, onPiece, false).catch(ifStale(() => sendOnce(request, onPiece, true)))
  return {
    stream,
    fetch: (request) => gather(request, stream),
    phoneReconnected: (name) =>
      failAll((one) => one.name === name && one.isRepeatable === true, 'the phone has reconnected'),
    open: () => pending.size,
    close: () => inbox.unsubscribe(),
  }
}

/** Handles the error of a request: calls `again` if the phone rejected its nonce as outdated, and throws any other error. */
const ifStale =
  (again: () => Promise<End>) =>
  (error: unknown): Promise<End> => {
    if (error instanceof StaleNonce) return again()
    throw error
  }

function checkSize({ body = NOTHING }: PhoneRequest, open: number): void {
  if (body.length > FLEET_MAX_BODY_BYTES) {
    const message = `body: expected at most ${FLEET_MAX_BODY_BYTES} bytes through a fleet, got ${body.length}; send it in pieces`
    throw new ShellphoneError('TOO_LARGE', message)
  }
  if (open >= MAX_OPEN) {
    throw new ShellphoneError('POOL_FULL', `${MAX_OPEN} requests are already waiting`, { retryAfterSeconds: 1 })
  }
}

/** Ends a wait when the phone has sent nothing for too long (each part restarts the timer) or the request's signal aborts. */
function deadline(request: PhoneRequest) {
  const { signal } = request
  let over = (_error: ShellphoneError) => {}
  const timer = setTimeout(() => over(silent(request, `no data for ${FLEET_SILENT_MS} ms`)), FLEET_SILENT_MS)
  const abort = () => over(silent(request, 'the wait was aborted'))
  signal?.addEventListener('abort', abort, { once: true })
  return {
    onOver(listener: (error: ShellphoneError) => void) {
      over = listener
      if (signal?.aborted) abort()
    },
    restart: () => void timer.refresh(),
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}

class StaleNonce extends Error {}
const UNAUTHORIZED = 401

interface ReaderOptions {
  call: string
  onPiece(piece: Piece): void
  /** Called with the phone's nonce; throws if the request must be sent again. */
  onNonce(status: number | undefined, nonce: string): void
  onOffline(name: string): void
  resolve(end: End): void
  fail(error: ShellphoneError): void
}

/** Reads the parts of one response in order. It skips a duplicate part; a missing part ends the response with an error. */
function createReader(
  request: PhoneRequest,
  { call, onPiece, onNonce, onOffline, resolve, fail }: ReaderOptions,
): (message: Msg) => void {
  const { window = FLEET_MAX_WINDOW_BYTES } = request
  let [next, bytes] = [0, 0]
  const reject = (error: ShellphoneError) => {
    next = Number.POSITIVE_INFINITY // ignore later parts
    fail(error)
  }
  return (message) => {
    if (message.headers?.code === NO_RESPONDERS) {
      onOffline(request.name)
      return reject(offline(request))
    }
    const head = readHead(message)
    if (head === null) return reject(garbled(request, 'a part without a head'))
    if (head.call !== call) return reject(garbled(request, 'a part of another response'))
    if (head.part < next) return
    if (head.part > next) return reject(garbled(request, `expected part ${next}, got ${head.part}`))
    next += 1
    bytes += message.data.length
    if (bytes > window + FLEET_PART_BYTES) return reject(garbled(request, `expected at most ${window} bytes`))
    const { status, channel, end, trailers = {} } = head
    const { [NONCE_HEADER]: nonce, ...headers } = head.headers ?? {}
    if (nonce !== undefined) onNonce(status, nonce)
    if (status !== undefined || channel || message.data.length > 0) {
      onPiece({
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

async function gather(request: PhoneRequest, stream: PhoneRequests['stream']): Promise<WholeResponse> {
  const pieces: Piece[] = []
  const { end, trailers } = await stream(request, (piece) => pieces.push(piece))
  const { status = 0, headers = {} } = pieces[0] ?? {}
  return { status, headers, body: Buffer.concat(pieces.map(({ data }) => data)), end, trailers }
}
