import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'

/** The Fastify app as routes see it: requests have the types of their schemas. */
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

/** Options of every app here. */
export const appOptions = (logger: FastifyBaseLogger) => ({
  loggerInstance: logger,
  logController: new LogController({ disableRequestLogging: true }),
  http: { headersTimeout: HEADERS_TIMEOUT_MS },
  routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
})
