import type { TSchema } from '@sinclair/typebox'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import { boundedJson, check, invalid, ShellphoneError } from '../../../shared/schema/index.ts'
import type { Gate } from './gate.ts'
import type { Caller, Roles } from '../keys/roles.ts'

/** The plane's Fastify app: what a request holds has the types of its schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** of a plane: whose token was shown; null: none was asked for */
    caller: Caller | null
  }
  interface FastifyContextConfig {
    /** served to whoever asks */
    public?: boolean
  }
}

/** Bodies as bytes (a phone's own are passed on as they are), the house's checks, its errors, and who asks. */
export function speakHttp(app: FastifyInstance, roles: Roles, gate: Gate): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
  app.setValidatorCompiler<TSchema>(validator)
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(toOurs(error), request, reply))
  app.setNotFoundHandler((request, reply) => {
    const error = new ShellphoneError('NOT_FOUND', `No such route: ${request.method} ${request.url.split('?')[0]}`)
    return sendError(error, request, reply)
  })
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    gate.checkSource(request)
    if (request.routeOptions.config.public) return
    request.caller = roles.find(bearer(request))
    if (request.caller === null) throw gate.counted(request, unauthorized())
  })
}

const validator =
  ({ schema, httpPart }: { schema: TSchema; httpPart?: string }) =>
  (value: unknown): { value: unknown } | { error: Error } => {
    try {
      return { value: check(schema, httpPart === 'body' ? jsonOf(value) : value) }
    } catch (error) {
      return { error: error as Error }
    }
  }

/** A body as JSON. Throws VALIDATION_ERROR. */
export function jsonOf(body: unknown): unknown {
  return Buffer.isBuffer(body) ? boundedJson(body, 'body') : body
}

/** '': none is shown. */
export const bearer = ({ headers }: FastifyRequest): string =>
  /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''

/** Whose call it is; on routes that are not open there always is one. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller) return caller
  throw unauthorized()
}

const unauthorized = () => new ShellphoneError('UNAUTHORIZED', 'A valid token is required: Authorization: Bearer TOKEN')

function toOurs(error: FastifyError | ShellphoneError): ShellphoneError {
  if (error instanceof ShellphoneError) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new ShellphoneError('TOO_LARGE', 'body: too large for one message of a fleet: send it in pieces')
  }
  if ((error.statusCode ?? 500) < 500) return invalid(error.message)
  return Object.assign(new ShellphoneError('EXECUTION_ERROR', 'Internal error; the log says more'), {
    cause: error.stack,
  })
}

function sendError(error: ShellphoneError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.status === 500) request.log.warn({ cause: String(error.cause ?? '') }, 'failed')
  const { retryAfterSeconds } = error.extra
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  if (!request.raw.complete) reply.header('connection', 'close')
  if (error.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
  return reply.code(error.status).type('application/json; charset=utf-8').send(error.toBody())
}
