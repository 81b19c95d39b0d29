import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { RawData, WebSocket } from 'ws'
import { check } from '../shared/schema/index.ts'
import { parseMessage } from './bodies.ts'
import { type PendingClients, toOwner } from './pending-clients.ts'

/** A client that has shown no token by then is refused. */
export const AUTH_DEADLINE_MS = 5_000
/** What a stranger may send in all, frames and the bytes around them. */
const MAX_STRANGER_BYTES = 4_096
/** The code that closes a WebSocket whose client has no right to it (RFC 6455, 7.4.1). */
export const POLICY_VIOLATION = 1008

/** What becomes of a stranger. */
interface Gate {
  /** The token of its first message; '': that was none. */
  open(token: string): void
  /** It has shown none in time. */
  late(): void
}

/**
 * Without a token in the upgrade the first frame must bring it, in 4 KiB and 5 s. Whatever else comes first (binary, a ping, too much)
 * ends the connection at once: `open` or `late` is called, once, or nothing is.
 */
export function guardSocket(
  socket: WebSocket,
  request: FastifyRequest,
  lobby: PendingClients,
  { open, late }: Gate,
): void {
  const { socket: raw } = request.raw
  const before = raw.bytesRead
  const guest = { address: toOwner(request.ip), cut: () => leave() }
  const expire = () => {
    done()
    late()
  }
  const timer = setTimeout(expire, AUTH_DEADLINE_MS)
  let isOver = false
  // ws hands over what it has read of this in the same turn, before us: a right token may have more behind it
  const count = () => void setImmediate(checkBytes)
  const checkBytes = () => {
    if (!isOver && raw.bytesRead - before > MAX_STRANGER_BYTES) leave()
  }
  const done = () => {
    isOver = true
    clearTimeout(timer)
    lobby.delete(guest)
    raw.off('data', count)
    socket.off('message', knock).off('ping', leave).off('pong', leave).off('close', done)
  }
  const leave = () => {
    done()
    socket.terminate()
  }
  const knock = (data: RawData, isBinary: boolean) => {
    if (isBinary || (data as Buffer).length > MAX_STRANGER_BYTES) return leave()
    done()
    open(tokenIn(data as Buffer))
  }
  socket.on('message', knock).on('ping', leave).on('pong', leave).on('close', done)
  raw.on('data', count) // behind ws's own
  lobby.add(guest)
}

/** The first message of who showed no token in the upgrade. */
export const AuthMessage = Type.Object({ type: Type.Literal('auth'), token: Type.String() })

function tokenIn(data: Buffer): string {
  try {
    return check(AuthMessage, parseMessage(data)).token
  } catch {
    return '' // whatever it was, it was not a token
  }
}
