import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { RawData, WebSocket } from 'ws'
import { check, type ShellphoneError } from '../../shared/schema/index.ts'
import { type Lobby, toOwner, parseMessage, toShellphoneError, unauthorized } from '../../http/index.ts'
import type { Security } from './security.ts'

/** Who has shown no token by then is refused. */
export const AUTH_DEADLINE_MS = 5_000
/** What a stranger may send in all, frames and the bytes around them. */
const MAX_STRANGER_BYTES = 4_096
/** RFC 6455, 7.4.1 */
const POLICY_VIOLATION = 1008

/** What the gate stands at. */
interface GateParts {
  security: Security
  lobby: Lobby
}

/**
 * Without a token in the upgrade the first frame must bring it, in 4 KiB and 5 s. Whatever else comes first (binary, a ping, a wrong
 * token) ends the connection at once: `open` is called, once, or nothing is.
 */
export function guardGate(socket: WebSocket, request: FastifyRequest, parts: GateParts, open: () => void): void {
  const { raw } = request
  const before = raw.socket.bytesRead
  const guest = { address: toOwner(request.ip), cut: () => leave() }
  const timer = setTimeout(() => refuse(socket, unauthorized()), AUTH_DEADLINE_MS)
  let isOver = false
  // ws hands over what it has read of this in the same turn, before us: a right token may have more behind it
  const count = () => void setImmediate(check)
  const check = () => {
    if (!isOver && raw.socket.bytesRead - before > MAX_STRANGER_BYTES) leave()
  }
  const done = () => {
    isOver = true
    clearTimeout(timer)
    parts.lobby.delete(guest)
    raw.socket.off('data', count)
    socket.off('message', knock).off('ping', leave).off('pong', leave).off('close', done)
  }
  const leave = () => {
    done()
    socket.terminate()
  }
  const knock = (data: RawData, isBinary: boolean) => {
    if (isBinary || (data as Buffer).length > MAX_STRANGER_BYTES) return leave()
    done()
    try {
      parts.security.judge(request, tokenIn(data))
    } catch (error) {
      return refuse(socket, toShellphoneError(error as ShellphoneError))
    }
    open()
  }
  socket.on('message', knock).on('ping', leave).on('pong', leave).on('close', done)
  raw.socket.on('data', count) // behind ws's own
  parts.lobby.add(guest)
}

/** Says why, and is gone: nobody waits for a stranger's goodbye. */
function refuse(socket: WebSocket, error: ShellphoneError): void {
  socket.send(JSON.stringify({ type: 'error', ...error.toBody() }))
  socket.close(POLICY_VIOLATION, error.type)
  socket.terminate()
}

/** The first message of who showed no token in the upgrade. */
export const AuthMessage = Type.Object({ type: Type.Literal('auth'), token: Type.String() })

function tokenIn(data: RawData): string {
  try {
    return check(AuthMessage, parseMessage(data as Buffer)).token
  } catch {
    return '' // whatever it was, it was not a token
  }
}
