import type { FastifyRequest } from 'fastify'
import type { RawData, WebSocket } from 'ws'
import { bearer } from './speak-http.ts'

const AUTH_DEADLINE_MS = 5_000
const MAX_AUTH_BYTES = 4_096
/** WebSockets that have shown no token yet; the next one is refused. */
const MAX_STRANGERS = 64
const POLICY_VIOLATION = 1008
const TRY_AGAIN_LATER = 1013

let strangers = 0

/** Calls `open` with the token, which the upgrade has, or the first message: {"type": "auth", "token"}, within 5 s. */
export function guardSocket(socket: WebSocket, request: FastifyRequest, open: (token: string) => void): void {
  const shown = bearer(request)
  if (shown !== '') return open(shown)
  if (strangers >= MAX_STRANGERS) return socket.close(TRY_AGAIN_LATER, 'too many have shown no token yet')
  strangers += 1
  const { socket: raw } = request.raw
  const before = raw.bytesRead
  let isOver = false
  const timer = setTimeout(() => socket.close(POLICY_VIOLATION, 'no token within 5 s'), AUTH_DEADLINE_MS)
  // behind ws, which may have the token in what it has read
  const count = () => void setImmediate(() => isOver || raw.bytesRead - before <= MAX_AUTH_BYTES || socket.terminate())
  const done = () => {
    strangers -= 1
    isOver = true
    clearTimeout(timer)
    raw.off('data', count)
    socket.off('message', knock).off('close', done)
  }
  const knock = (data: RawData) => {
    done()
    if ((data as Buffer).length > MAX_AUTH_BYTES) return socket.terminate()
    open(tokenIn(data as Buffer))
  }
  socket.on('message', knock).on('close', done)
  raw.on('data', count)
}

/** '': it was none. */
function tokenIn(data: Buffer): string {
  try {
    const { type, token } = JSON.parse(data.toString())
    return type === 'auth' ? String(token) : ''
  } catch {
    return ''
  }
}
