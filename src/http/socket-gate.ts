import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { RawData, WebSocket } from 'ws'
import { check, kind } from '../shared/schema/index.ts'
import { parseMessage } from './bodies.ts'
import { type PendingClients, toOwner } from './pending-clients.ts'

/** A client that has not shown a token within this time is disconnected. */
export const AUTH_DEADLINE_MS = 5_000
/** The maximum number of bytes that an unauthenticated client may send, including frame headers. */
const MAX_UNAUTHENTICATED_BYTES = 4_096
/** The close code for a WebSocket client that is not authorized (RFC 6455, 7.4.1). */
export const POLICY_VIOLATION = 1008

/** Handles an unauthenticated WebSocket. */
interface Gate {
  /** Receives the token of the first message; '' if the message has no token. */
  open(token: string): void
  /** Called when the deadline has passed without a token. */
  late(): void
}

/**
 * If the upgrade request had no token, the first frame must contain it, within 4 KiB and 5 s. Any other first frame (binary, a ping, too many
 * bytes) closes the connection immediately. Calls either `open` or `late` at most once.
 */
export function guardSocket(
  socket: WebSocket,
  request: FastifyRequest,
  pending: PendingClients,
  { open, late }: Gate,
): void {
  const { socket: raw } = request.raw
  const before = raw.bytesRead
  const client = { address: toOwner(request.ip), cut: () => leave() }
  const expire = () => {
    done()
    late()
  }
  const timer = setTimeout(expire, AUTH_DEADLINE_MS)
  let isOver = false
  // the same read may contain more data after a valid token; ws emits all of it before this callback runs
  const count = () => void setImmediate(checkBytes)
  const checkBytes = () => {
    if (!isOver && raw.bytesRead - before > MAX_UNAUTHENTICATED_BYTES) leave()
  }
  const done = () => {
    isOver = true
    clearTimeout(timer)
    pending.delete(client)
    raw.off('data', count)
    socket.off('message', onFirstMessage).off('ping', leave).off('pong', leave).off('close', done)
  }
  const leave = () => {
    done()
    socket.terminate()
  }
  const onFirstMessage = (data: RawData, isBinary: boolean) => {
    if (isBinary || (data as Buffer).length > MAX_UNAUTHENTICATED_BYTES) return leave()
    done()
    open(tokenIn(data as Buffer))
  }
  socket.on('message', onFirstMessage).on('ping', leave).on('pong', leave).on('close', done)
  raw.on('data', count) // after ws's own listener
  pending.add(client)
}

/** The first message of a client that showed no token in the upgrade request. */
export const AuthMessage = Type.Object({ type: kind('auth'), token: Type.String({ description: 'The token' }) })

function tokenIn(data: Buffer): string {
  try {
    return check(AuthMessage, parseMessage(data)).token
  } catch {
    return '' // not a token
  }
}
