import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable, Writable } from 'node:stream'
import { WebSocket } from 'ws'
import { FLEET_MAX_MESSAGE_BYTES } from '../../shared/schema/index.ts'
import { closeReason, createUnpacker, packMessage, sendMessage } from '../../shared/transport/index.ts'
import type { CheckedCall } from './check-call.ts'
import { passedHeaders, type OwnService, headerTexts } from './relay.ts'

/** A connection to the service for one channel: its input and its response. */
export interface ServiceConnection {
  input: Writable
  /** rejects if no response arrives */
  answer: Promise<{ status: number; headers: Record<string, string>; body: Readable }>
  close(): void
}

/** Opens a connection for the request of a call. The body of the request follows through `input`. */
export function openConnection(call: CheckedCall, service: OwnService): ServiceConnection {
  const connection =
    call.head.path.split('?', 1)[0] === '/ws' ? webSocketConnection(service) : httpConnection(call, service)
  connection.answer.catch(() => {}) // `pull` reports the error
  connection.input.on('error', () => {})
  return connection
}

function httpConnection({ head }: CheckedCall, { host, port, authorization }: OwnService): ServiceConnection {
  const { method, path } = head
  const length = head.headers['content-length']
  const headers = { ...passedHeaders(head), authorization, ...(length !== undefined && { 'content-length': length }) }
  const outgoing = request({ host, port, agent: false, method, path, headers })
  if (method === 'GET') outgoing.end()
  const readHead = async () => {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    answer.on('error', () => {}) // the reader sees that the response was cut off
    return { status: answer.statusCode!, headers: headerTexts(answer.headers), body: answer }
  }
  return { input: outgoing, answer: readHead(), close: () => outgoing.destroy() }
}

/** Packs messages in both directions. The last message contains the close code and reason. */
function webSocketConnection({ host, port, authorization }: OwnService): ServiceConnection {
  const urlHost = host.includes(':') ? `[${host}]` : host
  const options = { headers: { authorization }, perMessageDeflate: false, maxPayload: FLEET_MAX_MESSAGE_BYTES }
  const socket = new WebSocket(`ws://${urlHost}:${port}/ws`, options)
  const body = new Readable({ read: () => socket.resume() })
  socket.on('message', (data: Buffer, isBinary) => body.push(packMessage({ data, isBinary })) || socket.pause())
  socket.on('close', (code, reason) => {
    body.push(packMessage({ code, reason: reason.toString() }))
    body.push(null)
  })
  const opened = once(socket, 'open')
  socket.on('error', () => {}) // 'close' follows
  const answer = opened.then(() => ({ status: 101, headers: {}, body }))
  return { input: inputOf(socket, opened), answer, close: () => socket.terminate() }
}

function inputOf(socket: WebSocket, opened: Promise<unknown>): Writable {
  const unpack = createUnpacker(FLEET_MAX_MESSAGE_BYTES)
  return new Writable({
    construct: (done) => void opened.then(() => done(), done),
    write(bytes: Buffer, _encoding, done) {
      try {
        const left = unpack(bytes).map((message) => sendMessage(socket, message))
        void Promise.all(left).then(() => done(), done)
      } catch (error) {
        socket.close(TOO_BIG, closeReason((error as Error).message))
        done(error as Error)
      }
    },
  })
}

const TOO_BIG = 1009
