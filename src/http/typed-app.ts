import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'

/** The Fastify app that routes use: requests have the types of their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

const HEADERS_TIMEOUT_MS = 10_000
/** Longer path parameters (names, ids, paths) do not match a route. */
const MAX_PARAM_LENGTH = 16_384

/** The options of every server's app. */
export const appOptions = (logger: FastifyBaseLogger) => ({
  loggerInstance: logger,
  logController: new LogController({ disableRequestLogging: true }),
  http: { headersTimeout: HEADERS_TIMEOUT_MS },
  routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
})
