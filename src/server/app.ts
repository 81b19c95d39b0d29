import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Settings } from './config/index.ts'
import {
  acceptUpgrades,
  type Bounds,
  boundClients,
  boundMemory,
  type Clients,
  type RouteParts,
  routes,
  type Security,
  type SecuritySettings,
  security,
} from './routes/index.ts'
import { badUrl, errorReplies, jsonBodies, takeTurns, toClientError } from '../http/index.ts'

type AppSettings = SecuritySettings & Pick<Settings, 'body_limit_bytes' | 'stop_grace_seconds'>

/** A client gets this long to send its headers (slow loris), and its whole request. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000
/** Answers of runs that the stop has ended get this long to leave. */
const LAST_WORDS_MS = 300
/** Longer ids are no ids. */
const MAX_PARAM_LENGTH = 16_384

/** The Fastify app, complete but not listening. `before` is run ahead of the routes (openapi.yaml is written so). */
export async function createApp(
  settings: AppSettings,
  parts: Omit<RouteParts, 'security' | 'bodyLimitBytes' | 'clients' | keyof Bounds>,
  logger: FastifyBaseLogger,
  before: (app: FastifyInstance) => Promise<void> = async () => {},
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: settings.body_limit_bytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: toClientError,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (_error, request, reply) => badUrl(request, reply, guard),
  })
  const clients = boundClients(app, settings.max_connections)
  app.addHook('preClose', () => closeGently(app, parts.executor, clients, settings.stop_grace_seconds * 1000))
  errorReplies(app)
  jsonBodies(app)
  await before(app)
  takeTurns(app)
  await acceptUpgrades(app, settings.body_limit_bytes)
  const guard: Security = security(app, parts.tokens, settings, clients)
  const bounds = boundMemory(app, settings.body_limit_bytes)
  const own = { security: guard, bodyLimitBytes: settings.body_limit_bytes, clients }
  const guarded = { ...parts, ...bounds, ...own }
  for (const route of routes) await route(app.withTypeProvider(), guarded)
  return app
}

/** Takes no more, ends what runs and lets its answers leave; then cuts off whoever never finished a request. */
async function closeGently(
  app: FastifyInstance,
  executor: RouteParts['executor'],
  clients: Clients,
  graceMs: number,
): Promise<void> {
  app.server.close()
  await executor.close(graceMs)
  setTimeout(clients.cutAll, LAST_WORDS_MS).unref()
}
