import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { ShellphoneError } from '../../shared/schema/index.ts'
import {
  guardSocket,
  type PendingClients,
  POLICY_VIOLATION,
  toShellphoneError,
  unauthorized,
} from '../../http/index.ts'
import type { Security } from './security.ts'

interface GateParts {
  security: Security
  pending: PendingClients
}

/** Calls `open` once the first frame contains a valid token; closes the connection after a wrong one, or after 5 s without one. */
export function guardUpgrade(
  socket: WebSocket,
  request: FastifyRequest,
  { security, pending }: GateParts,
  open: () => void,
): void {
  guardSocket(socket, request, pending, {
    open(token) {
      try {
        security.authenticate(request, token)
      } catch (error) {
        return refuse(socket, toShellphoneError(error as ShellphoneError))
      }
      open()
    },
    late: () => refuse(socket, unauthorized()),
  })
}

/** Sends the reason and disconnects without waiting for the close frame of an unauthenticated client. */
function refuse(socket: WebSocket, error: ShellphoneError): void {
  socket.send(JSON.stringify({ type: 'error', ...error.toBody() }))
  socket.close(POLICY_VIOLATION, error.type)
  socket.terminate()
}
