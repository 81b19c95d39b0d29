import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Settings } from './config/index.ts'
import { within } from '../shared/async/index.ts'
import {
  type Bounds,
  boundClients,
  boundMemory,
  type Clients,
  Deliveries,
  type RouteParts,
  routes,
  type Security,
  type SecuritySettings,
  installSecurity,
} from './routes/index.ts'
import {
  acceptUpgrades,
  appOptions,
  badUrl,
  errorReplies,
  jsonBodies,
  drainBody,
  takeTurns,
  toClientError,
} from '../http/index.ts'

type AppSettings = SecuritySettings & Pick<Settings, 'body_limit_bytes' | 'stop_grace_seconds'>

/** Time limit for a client to send its whole request. */
const REQUEST_TIMEOUT_MS = 60_000
/** Time for sending the responses of runs that the stop has ended. */
const RESPONSE_FLUSH_MS = 300
/** Time for a client that reads slowly to receive the results of these runs over its WebSocket, before the stop closes it. */
const DELIVERY_MS = 2_000

/** Creates the complete Fastify app, which does not listen yet. `before` runs before the routes are added, for generating openapi.yaml. */
export async function createApp(
  settings: AppSettings,
  parts: Omit<RouteParts, 'security' | 'bodyLimitBytes' | 'clients' | 'deliveries' | keyof Bounds>,
  logger: FastifyBaseLogger,
  before: (app: FastifyInstance) => Promise<void> = async () => {},
): Promise<FastifyInstance> {
  const app = Fastify({
    ...appOptions(logger),
    bodyLimit: settings.body_limit_bytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: toClientError,
    frameworkErrors: (_error, request, reply) => badUrl(request, reply, security),
  })
  const clients = boundClients(app, settings.max_connections)
  const deliveries = new Deliveries()
  const graceMs = settings.stop_grace_seconds * 1000
  app.addHook('preClose', () => closeGently(app, parts.executor, { clients, deliveries }, graceMs))
  errorReplies(app, {
    tooLarge: (limitBytes) => {
      const source = limitBytes === settings.body_limit_bytes ? ' (setting body_limit_bytes)' : ''
      return `body: expected at most ${limitBytes} bytes${source}, got more`
    },
    routesHint: '; GET /docs lists the routes',
    async settle({ code }, { who, raw }) {
      if (code === 'TOO_LARGE' && who) await drainBody(raw)
    },
  })
  jsonBodies(app)
  await before(app)
  takeTurns(app)
  // an oversized message gets an error and the connection stays open; a message beyond twice the limit closes the connection
  await acceptUpgrades(app, settings.body_limit_bytes * 2)
  const security: Security = installSecurity(app, parts.tokens, settings, clients, parts.accessLog)
  const bounds = boundMemory(app, settings.body_limit_bytes)
  const own = { security, bodyLimitBytes: settings.body_limit_bytes, clients, deliveries }
  const guarded = { ...parts, ...bounds, ...own }
  for (const route of routes) await route(app.withTypeProvider(), guarded)
  return app
}

/**
 * Accepts no more connections, ends all runs, and sends their results over WebSockets, which close next. Responses have a little more time, until
 * the connections of clients that never finished a request are closed too.
 */
async function closeGently(
  app: FastifyInstance,
  executor: RouteParts['executor'],
  { clients, deliveries }: { clients: Clients; deliveries: Deliveries },
  graceMs: number,
): Promise<void> {
  app.server.close()
  await executor.close(graceMs)
  await within(deliveries.settled(), DELIVERY_MS)
  setTimeout(clients.closeAll, RESPONSE_FLUSH_MS).unref()
}
