/**
 * A hook into Node's internals: how often an HTTP server looks for clients that are too slow. Node knows one interval, for ever: without the
 * hook an idle service would wake for it (test/server/routes/connection-checks).
 */
import type { FastifyInstance } from 'fastify'

/**
 * Sets the interval of a server that listens. Node sets its timer when it begins to listen, and takes the interval from the server then;
 * where it has another way, it stays as it is.
 */
export function lookerOf(server: FastifyInstance['server']): (everyMs: number) => void {
  const setTimer = server.listeners('listening').find(({ name }) => name === 'setupConnectionsTracking')
  return (everyMs) => {
    Object.assign(server, { connectionsCheckingInterval: everyMs })
    if (server.listening) setTimer?.call(server)
  }
}
