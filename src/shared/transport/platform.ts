import { once } from 'node:events'
import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { startRequest } from './exchange.ts'
import { pinnedAgent } from './pinned.ts'

const ERROR_RESPONSE_MS = 500

/** The implementations of fetch and WebSocket that a client uses. */
export interface Platform {
  fetch: typeof fetch
  WebSocket: new (url: string) => WebSocket
}

/** A fetch and a WebSocket that connect only to the service with this public key (base64url of its SHA-256). */
export const pinned = ({ key }: { key: string }): Platform => platformOf(pinnedAgent(key))

/** A fetch and a WebSocket that use the connections of an agent; without an agent, they accept any server. */
export function platformOf(agent?: Agent): Platform {
  class AgentSocket extends WebSocket {
    constructor(url: string) {
      super(url, { agent, perMessageDeflate: false, maxPayload: 0, skipUTF8Validation: true })
      this.on('upgrade', ({ socket }: IncomingMessage) => socket.setNoDelay(true))
    }
  }
  return { fetch: (input, init) => fetchBy(agent, input, init), WebSocket: AgentSocket }
}

async function fetchBy(
  agent: Agent | undefined,
  input: Parameters<typeof fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  const { method = 'GET', headers, body = null, signal } = init
  const outgoing = startRequest(new URL(input instanceof Request ? input.url : input), {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    agent,
    signal: signal ?? undefined,
  })
  const answer = await answerTo(outgoing, upload(body, outgoing))
  // the service has rejected the request, so the rest of the body need not be sent
  if (answer.statusCode! >= 400 && !outgoing.writableFinished) answer.once('end', () => outgoing.destroy())
  return toResponse(answer)
}

/** The response may begin before the request is sent completely. If sending fails, a response that says why may still arrive. */
async function answerTo(outgoing: ClientRequest, sent: Promise<void>): Promise<IncomingMessage> {
  const answer = once(outgoing, 'response') as Promise<[IncomingMessage]>
  const broken = sent.then(
    () => answer,
    (error) => Promise.race([answer, pause(ERROR_RESPONSE_MS).then(() => Promise.reject(error))]),
  )
  const [response] = await Promise.race([answer, broken])
  return response
}

async function upload(body: RequestInit['body'] | null, outgoing: ClientRequest): Promise<void> {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    return void outgoing.end(body ?? undefined)
  }
  const pieces = body instanceof Blob ? body.stream() : body
  await pipeline(Readable.from(pieces as AsyncIterable<Uint8Array>), outgoing)
}

/** Statuses that have no body. */
const bodiless = [101, 204, 205, 304]

function toResponse(answer: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer
  const headers = new Headers()
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const one of values!) headers.append(name, one)
  }
  const isEmpty = bodiless.includes(status)
  if (isEmpty) answer.resume() // frees the connection
  const body = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream)
  return new Response(body, { status, statusText, headers })
}
