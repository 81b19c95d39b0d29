/**
 * A hook into Node's internals: how often an HTTP server checks for clients that are too slow. Node uses a fixed interval; without the hook it
 * would wake an idle service (test/server/routes/connection-checks).
 */
import type { FastifyInstance } from 'fastify'

/**
 * Returns a function that sets the interval of a listening server. Node reads the interval and starts its timer when the server begins to
 * listen. If a version of Node works differently, the interval does not change.
 */
export function intervalSetterOf(server: FastifyInstance['server']): (everyMs: number) => void {
  const setTimer = server.listeners('listening').find(({ name }) => name === 'setupConnectionsTracking')
  return (everyMs) => {
    Object.assign(server, { connectionsCheckingInterval: everyMs })
    if (server.listening) setTimer?.call(server)
  }
}
