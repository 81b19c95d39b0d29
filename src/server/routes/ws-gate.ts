import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { ShellphoneError } from '../../shared/schema/index.ts'
import { guardSocket, type Lobby, POLICY_VIOLATION, toShellphoneError, unauthorized } from '../../http/index.ts'
import type { Security } from './security.ts'

/** What the gate stands at. */
interface GateParts {
  security: Security
  lobby: Lobby
}

/** Calls `open` once the first frame has brought a right token; a wrong one ends the connection, and so does none in 5 s. */
export function guardGate(
  socket: WebSocket,
  request: FastifyRequest,
  { security, lobby }: GateParts,
  open: () => void,
): void {
  guardSocket(socket, request, lobby, {
    open(token) {
      try {
        security.judge(request, token)
      } catch (error) {
        return refuse(socket, toShellphoneError(error as ShellphoneError))
      }
      open()
    },
    late: () => refuse(socket, unauthorized()),
  })
}

/** Says why, and is gone: nobody waits for a stranger's goodbye. */
function refuse(socket: WebSocket, error: ShellphoneError): void {
  socket.send(JSON.stringify({ type: 'error', ...error.toBody() }))
  socket.close(POLICY_VIOLATION, error.type)
  socket.terminate()
}
