import { EventEmitter } from 'node:events'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'

/** An unauthenticated WebSocket and its upgrade request, without a network; `ending`: what was sent to it, and how it was closed. */
export function createStranger() {
  const ending: unknown[] = []
  const socket = Object.assign(new EventEmitter(), {
    send: (text: string) => void ending.push(JSON.parse(text)),
    close: (code: number, reason: string) => void ending.push([code, reason]),
    terminate: () => void ending.push('terminated'),
  })
  const request = { ip: '192.0.2.1', headers: {}, raw: { socket: Object.assign(new EventEmitter(), { bytesRead: 0 }) } }
  const says = (message: object) => socket.emit('message', Buffer.from(JSON.stringify(message)), false)
  return {
    socket: socket as unknown as WebSocket,
    request: request as unknown as FastifyRequest,
    says,
    ending,
  }
}
