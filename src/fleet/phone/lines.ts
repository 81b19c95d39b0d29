import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable, Writable } from 'node:stream'
import { WebSocket } from 'ws'
import { FLEET_MAX_MESSAGE_BYTES } from '../../shared/schema/index.ts'
import { closeReason, createUnpacker, packMessage, sendMessage } from '../../shared/transport/index.ts'
import type { CheckedCall } from './check-call.ts'
import { carried, type OwnService, textsOf } from './relay.ts'

/** A connection to the service of its own: what goes in, and what comes out. */
export interface ServiceConnection {
  input: Writable
  /** rejects where there is none */
  answer: Promise<{ status: number; headers: Record<string, string>; body: Readable }>
  close(): void
}

/** Opens what a call asks for. Its body comes later. */
export function openLine(call: CheckedCall, service: OwnService): ServiceConnection {
  const line = call.head.path.split('?', 1)[0] === '/ws' ? webSocketLine(service) : httpLine(call, service)
  line.answer.catch(() => {}) // whoever pulls hears of it
  line.input.on('error', () => {})
  return line
}

function httpLine({ head }: CheckedCall, { host, port, authorization }: OwnService): ServiceConnection {
  const { method, path } = head
  const length = head.headers['content-length']
  const headers = { ...carried(head), authorization, ...(length !== undefined && { 'content-length': length }) }
  const outgoing = request({ host, port, agent: false, method, path, headers })
  if (method === 'GET') outgoing.end()
  const toAnswer = async () => {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    answer.on('error', () => {}) // cut: whoever reads it sees that
    return { status: answer.statusCode!, headers: textsOf(answer.headers), body: answer }
  }
  return { input: outgoing, answer: toAnswer(), close: () => outgoing.destroy() }
}

/** Its messages are packed both ways; how it was closed is the last of them. */
function webSocketLine({ host, port, authorization }: OwnService): ServiceConnection {
  const at = host.includes(':') ? `[${host}]` : host
  const options = { headers: { authorization }, perMessageDeflate: false, maxPayload: FLEET_MAX_MESSAGE_BYTES }
  const socket = new WebSocket(`ws://${at}:${port}/ws`, options)
  const body = new Readable({ read: () => socket.resume() })
  socket.on('message', (data: Buffer, isBinary) => body.push(packMessage({ data, isBinary })) || socket.pause())
  socket.on('close', (code, reason) => {
    body.push(packMessage({ code, reason: reason.toString() }))
    body.push(null)
  })
  const opened = once(socket, 'open')
  socket.on('error', () => {}) // it is closed then
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
