import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'

/** The Fastify app as routes see it: what a request holds has the types of its schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

const HEADERS_TIMEOUT_MS = 10_000
/** Longer names, ids and paths in a URL are none. */
const MAX_PARAM_LENGTH = 16_384

/** What all apps here are made with. */
export const appOptions = (logger: FastifyBaseLogger) => ({
  loggerInstance: logger,
  logController: new LogController({ disableRequestLogging: true }),
  http: { headersTimeout: HEADERS_TIMEOUT_MS },
  routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
})
