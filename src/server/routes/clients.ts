import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { PendingClients, toOwner, type UnauthenticatedClient } from '../../http/index.ts'
import { toPlainAddress } from '../../shared/schema/index.ts'
import { intervalSetterOf } from './connection-checks.ts'

/** How often Node checks for clients that are too slow, while any is connected. */
const CHECK_MS = 2_000
const NEVER_MS = 2 ** 31 - 1
/** Unauthenticated connections; a new one replaces the oldest. */
const MAX_UNAUTHENTICATED = 128

/** A new connection counts as unauthenticated only after this time, so that simultaneous connections do not replace each other before they can show a token. */
const GRACE_MS = 1_000

/** A connection, and the name of the last token that it has shown. */
interface AuthenticatedConnection {
  token: string
  address: string
  /** false: HTTP */
  isWebSocket: boolean
  openedAtMs: number
}

/** All open connections. This includes upgraded ones, which Node does not close, even if the upgrade was refused. */
export interface Clients {
  /** Records that the connection has shown the token of that name: no new connection can replace it. */
  markAuthenticated(socket: Socket, name: string): void
  /** Records that the connection has shown a wrong token: even if it showed a valid one before, it counts as unauthenticated again. */
  markUnauthenticated(socket: Socket): void
  /** Closes every connection that has shown that token, except spared ones. */
  closeThoseOf(name: string): void
  /** Leaves it to Node to close this connection after its response, with which its own token ends. */
  spare(socket: Socket): void
  isAuthenticated(socket: Socket): boolean
  size(): number
  authenticated(): AuthenticatedConnection[]
  closeAll(): void
}

/** Allows at most `maxConnections` connections: one more replaces the oldest unauthenticated one. */
export function boundClients({ server }: FastifyInstance, maxConnections: number): Clients {
  const sockets = new Map<Socket, { name: string | null; openedAtMs: number }>() // with the name of the last token that each has shown
  const httpSockets = new Set<Socket>()
  const spared = new WeakSet<Socket>()
  const unauthenticated = new Map<Socket, { client: UnauthenticatedClient; timer: NodeJS.Timeout }>() // the oldest first
  let setCheckInterval = (_ms: number) => {} // has no effect until the server listens
  const pending = new PendingClients({ perAddress: MAX_UNAUTHENTICATED, inAll: MAX_UNAUTHENTICATED })
  const addUnauthenticated = (socket: Socket) => {
    const client = { address: toOwner(socket.remoteAddress), cut: () => void socket.destroy() }
    unauthenticated.set(socket, { client, timer: setTimeout(() => pending.add(client), GRACE_MS).unref() })
  }
  const removeUnauthenticated = (socket: Socket) => {
    const entry = unauthenticated.get(socket)
    if (!entry) return
    clearTimeout(entry.timer)
    pending.delete(entry.client)
    unauthenticated.delete(socket)
  }
  const leaveHttp = (socket: Socket) => {
    if (httpSockets.delete(socket) && httpSockets.size === 0) setCheckInterval(NEVER_MS)
  }
  const forget = (socket: Socket) => {
    sockets.delete(socket)
    removeUnauthenticated(socket)
    leaveHttp(socket)
  }
  server.on('listening', () => {
    setCheckInterval = intervalSetterOf(server)
    setCheckInterval(NEVER_MS)
  })
  server.on('upgrade', (_request, socket: Socket) => leaveHttp(socket))
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, { name: null, openedAtMs: Date.now() })
    addUnauthenticated(socket)
    if (httpSockets.add(socket).size === 1) setCheckInterval(CHECK_MS)
    socket.once('close', () => forget(socket))
    if (sockets.size <= maxConnections) return
    const [oldest] = unauthenticated.keys()
    forget(oldest!)
    oldest!.destroy()
  })
  return {
    markAuthenticated(socket, name) {
      const entry = sockets.get(socket)
      if (!entry) return
      if (entry.name === null) removeUnauthenticated(socket)
      entry.name = name
    },
    markUnauthenticated(socket) {
      const entry = sockets.get(socket)
      if (!entry || entry.name === null) return
      entry.name = null
      addUnauthenticated(socket)
    },
    closeThoseOf(name) {
      for (const [socket, shown] of sockets) if (shown.name === name && !spared.has(socket)) socket.destroy()
    },
    spare: (socket) => void spared.add(socket),
    isAuthenticated: (socket) => sockets.get(socket)?.name != null,
    size: () => sockets.size,
    authenticated: () =>
      [...sockets].flatMap(([socket, { name, openedAtMs }]) =>
        name === null
          ? []
          : [
              {
                token: name,
                address: toPlainAddress(socket.remoteAddress ?? ''),
                isWebSocket: !httpSockets.has(socket),
                openedAtMs,
              },
            ],
      ),
    closeAll() {
      for (const socket of sockets.keys()) socket.destroy()
    },
  }
}
