import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How often Node looks for clients that are too slow, while there are any. */
const LOOK_MS = 2_000
const NEVER_MS = 2 ** 31 - 1

/**
 * All open sockets: upgraded ones are not Node's to close, even where the upgrade was refused. Node would look at them every 2 s,
 * for ever; here it does while one speaks HTTP, so that an idle service sleeps.
 */
export function openSockets({ server }: FastifyInstance): Set<Socket> {
  const sockets = new Set<Socket>()
  const speaking = new Set<Socket>()
  const hush = (socket: Socket) => {
    if (speaking.delete(socket) && speaking.size === 0) lookEvery(server, NEVER_MS)
  }
  server.on('listening', () => lookEvery(server, NEVER_MS))
  server.on('upgrade', (_request, socket: Socket) => hush(socket))
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    if (speaking.add(socket).size === 1) lookEvery(server, LOOK_MS)
    socket.once('close', () => {
      sockets.delete(socket)
      hush(socket)
    })
  })
  return sockets
}

/** Node sets its timer when it begins to listen, and takes the interval from the server then; where it has another way, it stays as it is. */
function lookEvery(server: FastifyInstance['server'], connectionsCheckingInterval: number): void {
  Object.assign(server, { connectionsCheckingInterval })
  if (!server.listening) return
  server
    .listeners('listening')
    .find(({ name }) => name === 'setupConnectionsTracking')
    ?.call(server)
}
