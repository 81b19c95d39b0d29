import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ShellphoneError } from '../shared/schema/index.ts'

/** Must be registered before every hook that refuses a request: the plug-in closes only the connections of upgrades that it has seen. */
export async function acceptUpgrades(app: FastifyInstance, maxMessageBytes: number): Promise<void> {
  // one message of a connection per turn of the event loop, so that a flood of them does not starve others
  const options = { maxPayload: maxMessageBytes, perMessageDeflate: false, allowSynchronousEvents: false }
  // ws itself reports the error of a malformed frame to its sender
  await app.register(websocket, { options, errorHandler: (_error, socket) => socket.terminate() })
}

/** Throws NOT_FOUND for a WebSocket on any route but `url`. */
export function checkUpgrade({ headers, routeOptions }: FastifyRequest, url: string): void {
  if (headers.upgrade?.toLowerCase() !== 'websocket' || routeOptions.url === url) return
  throw new ShellphoneError('NOT_FOUND', `Upgrade: only ${url} is a WebSocket`)
}
