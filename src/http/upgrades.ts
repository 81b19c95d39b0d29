import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ShellphoneError } from '../shared/schema/index.ts'

/** Accepts WebSockets. Register it before every hook that refuses requests: the plug-in closes only the connections of upgrades that it has seen. */
export async function acceptUpgrades(app: FastifyInstance, maxMessageBytes: number): Promise<void> {
  // one message per connection in each turn of the event loop, so that a flood of messages does not starve other connections
  const options = { maxPayload: maxMessageBytes, perMessageDeflate: false, allowSynchronousEvents: false }
  // ws itself reports the error of a malformed frame to its sender
  await app.register(websocket, { options, errorHandler: (_error, socket) => socket.terminate() })
}

/** Throws NOT_FOUND for a WebSocket on any route except `url`. */
export function checkUpgrade({ headers, routeOptions }: FastifyRequest, url: string): void {
  if (headers.upgrade?.toLowerCase() !== 'websocket' || routeOptions.url === url) return
  throw new ShellphoneError('NOT_FOUND', `Upgrade: only ${url} is a WebSocket`)
}
