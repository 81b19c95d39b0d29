import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { toOwner } from './addresses.ts'
import { createLobby } from './lobby.ts'

/** How often Node looks for clients that are too slow, while there are any. */
const LOOK_MS = 2_000
const NEVER_MS = 2 ** 31 - 1
/** Connections that have not shown the token; the next one takes the place of the oldest. */
const MAX_STRANGERS = 128

/** A new connection has so long to show it: connections that come at once must not push each other out before they could speak. */
const NEWCOMER_MS = 1_000

/** All open connections, upgraded ones too: these are not Node's to close, even where the upgrade was refused. */
export interface Clients {
  /** It has shown the token: nobody else can take its place. */
  welcome(socket: Socket): void
  isKnown(socket: Socket): boolean
  cutAll(): void
}

/** At most `maxConnections`; where there is no room for one more, a stranger goes: the oldest of them. */
export function boundClients({ server }: FastifyInstance, maxConnections: number): Clients {
  const sockets = new Set<Socket>()
  const strangers = new Map<Socket, () => void>() // the oldest first, each with what ends its waiting
  const lobby = createLobby({ perAddress: MAX_STRANGERS, inAll: MAX_STRANGERS })
  const wait = (socket: Socket) => {
    const guest = { address: toOwner(socket.remoteAddress), cut: () => void socket.destroy() }
    const timer = setTimeout(lobby.enter, NEWCOMER_MS, guest).unref()
    strangers.set(socket, () => {
      clearTimeout(timer)
      lobby.leave(guest)
    })
  }
  const welcome = (socket: Socket) => {
    strangers.get(socket)?.()
    strangers.delete(socket)
  }
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    wait(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      welcome(socket)
    })
    if (sockets.size > maxConnections) cut(strangers.keys().next().value!)
  })
  const cut = (socket: Socket) => {
    sockets.delete(socket)
    welcome(socket)
    socket.destroy()
  }
  lookWhileSpoken(server)
  return {
    welcome,
    isKnown: (socket) => sockets.has(socket) && !strangers.has(socket),
    cutAll() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Node would look for slow clients every 2 s, for ever; here it does while one speaks HTTP, so that an idle service sleeps. */
function lookWhileSpoken(server: FastifyInstance['server']): void {
  const speaking = new Set<Socket>()
  const hush = (socket: Socket) => {
    if (speaking.delete(socket) && speaking.size === 0) lookEvery(server, NEVER_MS)
  }
  server.on('listening', () => lookEvery(server, NEVER_MS))
  server.on('upgrade', (_request, socket: Socket) => hush(socket))
  server.on('connection', (socket: Socket) => {
    if (speaking.add(socket).size === 1) lookEvery(server, LOOK_MS)
    socket.once('close', () => hush(socket))
  })
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
