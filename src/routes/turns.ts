import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Requests of one connection that wait for their turn; whoever sends more without reading is cut off. */
const MAX_PIPELINED = 32

/** Requests of one connection are served one after the other, as their answers leave: those that nobody reads are not made. */
export function takeTurns(app: FastifyInstance): void {
  const lines = new WeakMap<Socket, Set<ServerResponse>>()
  app.server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const line = lines.get(socket) ?? new Set()
    lines.set(socket, line.add(response))
    response.once('close', () => line.delete(response))
    if (line.size > MAX_PIPELINED) socket.destroy()
  })
  app.addHook('onRequest', ({ raw: { socket } }, { raw }, done) => {
    const line = [...(lines.get(socket) ?? [])]
    const before = line[line.indexOf(raw) - 1]
    const go = () => {
      if (!socket.destroyed) done() // nobody is left to be served
    }
    if (before) before.once('close', go)
    else go()
  })
}
