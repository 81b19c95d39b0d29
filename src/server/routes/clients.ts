import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Guest, Lobby, toOwner } from '../../http/index.ts'
import { toPlainAddress } from '../../shared/schema/index.ts'
import { lookerOf } from './connection-checks.ts'

/** How often Node looks for clients that are too slow, while there are any. */
const LOOK_MS = 2_000
const NEVER_MS = 2 ** 31 - 1
/** Connections that have not shown the token; the next one takes the place of the oldest. */
const MAX_STRANGERS = 128

/** A new connection has so long to show it: connections that come at once must not push each other out before they could speak. */
const NEWCOMER_MS = 1_000

/** A connection, and whose token it has shown last. */
interface KnownConnection {
  token: string
  address: string
  /** else HTTP */
  isWebSocket: boolean
  openedAtMs: number
}

/** All open connections, upgraded ones too: these are not Node's to close, even where the upgrade was refused. */
export interface Clients {
  /** It has shown the token of that name: nobody else can take its place. */
  welcome(socket: Socket, name: string): void
  /** It has shown a wrong one: whatever it showed before, it is a stranger again. */
  doubt(socket: Socket): void
  /** Ends every connection that has shown that token. */
  cutThoseOf(name: string): void
  isKnown(socket: Socket): boolean
  size(): number
  /** those that have shown a token */
  known(): KnownConnection[]
  cutAll(): void
}

/** At most `maxConnections`; where there is no room for one more, a stranger goes: the oldest of them. */
export function boundClients({ server }: FastifyInstance, maxConnections: number): Clients {
  const sockets = new Map<Socket, { name: string | null; openedAtMs: number }>() // each with whose token it has shown last
  const speaking = new Set<Socket>() // HTTP
  const strangers = new Map<Socket, { guest: Guest; timer: NodeJS.Timeout }>() // the oldest first
  let lookEvery = (_ms: number) => {} // until it listens
  const lobby = new Lobby({ perAddress: MAX_STRANGERS, inAll: MAX_STRANGERS })
  const wait = (socket: Socket) => {
    const guest = { address: toOwner(socket.remoteAddress), cut: () => void socket.destroy() }
    strangers.set(socket, { guest, timer: setTimeout(() => lobby.add(guest), NEWCOMER_MS).unref() })
  }
  const greet = (socket: Socket) => {
    const waiting = strangers.get(socket)
    if (!waiting) return
    clearTimeout(waiting.timer)
    lobby.delete(waiting.guest)
    strangers.delete(socket)
  }
  const hush = (socket: Socket) => {
    if (speaking.delete(socket) && speaking.size === 0) lookEvery(NEVER_MS)
  }
  const forget = (socket: Socket) => {
    sockets.delete(socket)
    greet(socket)
    hush(socket)
  }
  server.on('listening', () => {
    lookEvery = lookerOf(server)
    lookEvery(NEVER_MS)
  })
  server.on('upgrade', (_request, socket: Socket) => hush(socket))
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, { name: null, openedAtMs: Date.now() })
    wait(socket)
    if (speaking.add(socket).size === 1) lookEvery(LOOK_MS)
    socket.once('close', () => forget(socket))
    if (sockets.size <= maxConnections) return
    const [oldest] = strangers.keys()
    forget(oldest!)
    oldest!.destroy()
  })
  return {
    welcome(socket, name) {
      const entry = sockets.get(socket)
      if (!entry) return
      if (entry.name === null) greet(socket)
      entry.name = name
    },
    doubt(socket) {
      const entry = sockets.get(socket)
      if (!entry || entry.name === null) return
      entry.name = null
      wait(socket)
    },
    cutThoseOf(name) {
      for (const [socket, shown] of sockets) if (shown.name === name) socket.destroy()
    },
    isKnown: (socket) => sockets.get(socket)?.name != null,
    size: () => sockets.size,
    known: () =>
      [...sockets].flatMap(([socket, { name, openedAtMs }]) =>
        name === null
          ? []
          : [
              {
                token: name,
                address: toPlainAddress(socket.remoteAddress ?? ''),
                isWebSocket: !speaking.has(socket),
                openedAtMs,
              },
            ],
      ),
    cutAll() {
      for (const socket of sockets.keys()) socket.destroy()
    },
  }
}
