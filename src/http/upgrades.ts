import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ShellphoneError } from '../shared/schema/index.ts'

/** Comes before every hook that refuses a request: the plug-in closes the connections only of the upgrades that it has seen. */
export async function acceptUpgrades(app: FastifyInstance, maxMessageBytes: number): Promise<void> {
  // one message of a connection in each turn of the event loop: a flood of them leaves room for others
  const options = { maxPayload: maxMessageBytes, perMessageDeflate: false, allowSynchronousEvents: false }
  // what is wrong with a frame is the sender's to know
  await app.register(websocket, { options, errorHandler: (_error, socket) => socket.terminate() })
}

/** Throws NOT_FOUND for a WebSocket on another route than `url`. */
export function checkUpgrade({ headers, routeOptions }: FastifyRequest, url: string): void {
  if (headers.upgrade?.toLowerCase() !== 'websocket' || routeOptions.url === url) return
  throw new ShellphoneError('NOT_FOUND', `Upgrade: only ${url} is a WebSocket`)
}
