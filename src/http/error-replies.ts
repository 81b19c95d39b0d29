import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { COMMAND_REQUIRED, type ErrorCode, escapePattern, invalid, ShellphoneError } from '../shared/schema/index.ts'
import { isLongUpload } from './bodies.ts'

/** What differs between the servers. */
interface ErrorOptions {
  /** the message for a body that exceeds this limit */
  tooLarge(limitBytes: number): string
  /** ends the message for an unknown route */
  routesHint: string
  /** handles a body that may still be arriving, before the error is sent */
  settle(error: ShellphoneError, request: FastifyRequest, reply: FastifyReply): Promise<void> | void
}

/** Sends every error in one format, `{ error: { type, message, field? } }`, with the status from its row. */
export function errorReplies(app: FastifyInstance, { tooLarge, routesHint, settle }: ErrorOptions): void {
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const isTooLarge = error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
    const known = isTooLarge
      ? new ShellphoneError('TOO_LARGE', tooLarge(request.routeOptions.bodyLimit))
      : toShellphoneError(error)
    await settle(known, request, reply)
    return sendError(known, request, reply)
  })
  const methodsAt = servedMethods(app)
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0]!
    const methods = methodsAt(path)
    if (methods.length > 0) reply.header('allow', methods.join(', '))
    const error = noRoute(`${request.method} ${path}`, methods, routesHint)
    await settle(error, request, reply)
    return sendError(error, request, reply)
  })
}

function noRoute(request: string, methods: string[], routesHint: string): ShellphoneError {
  if (methods.length === 0) return new ShellphoneError('NOT_FOUND', `No such route: ${request}${routesHint}`)
  return new ShellphoneError('METHOD_NOT_ALLOWED', `${request}: expected ${methods.join(' or ')}`)
}

/** Headers that describe content. A handler may already have set them, but an error response must not contain them. */
const contentHeaders = [
  'accept-ranges',
  'cache-control',
  'content-encoding',
  'content-range',
  'etag',
  'file-mode',
  'last-modified',
  'repr-digest',
  'run-eof',
  'run-offset',
  'run-total',
]

/** Errors that are not failures of the server that reports them, so they are not logged. */
const expectedCodes: ErrorCode[] = ['POOL_FULL', 'BROKER_UNAVAILABLE', 'PHONE_OFFLINE', 'PHONE_SILENT', 'PHONE_GARBLED']

function sendError(error: ShellphoneError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.status >= 500 && !expectedCodes.includes(error.code)) {
    request.log.warn({ code: error.code, cause: String(error.cause ?? '') }, 'a request failed')
  }
  for (const name of contentHeaders) reply.removeHeader(name)
  if (error.extra.retryAfterSeconds !== undefined) reply.header('retry-after', error.extra.retryAfterSeconds)
  if (error.extra.totalBytes !== undefined) reply.header('content-range', `bytes */${error.extra.totalBytes}`)
  if (error.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
  return reply.code(error.status).type('application/json; charset=utf-8').send(error.toBody())
}

const MAX_DRAINED_BYTES = 67_108_864
const MAX_DRAIN_MS = 5_000

/** Reads the rest of a rejected body, within bounds: a client that is still sending reads the response only afterwards. */
export function drainBody(body: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0
    const timer = setTimeout(resolve, MAX_DRAIN_MS)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    body.once('end', done).once('close', done)
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_DRAINED_BYTES) done()
    })
    if (body.readableEnded) done()
  })
}

/** Fastify's own errors, by code, with our messages. */
const rows: Record<string, [code: ErrorCode, message: string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'Content-Type: expected application/json (curl --json sends it); POST /exec also accepts the command as text/plain',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['VALIDATION_ERROR', 'Content-Length: does not match the body'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['VALIDATION_ERROR', COMMAND_REQUIRED],
}

export function toShellphoneError(error: FastifyError | ShellphoneError): ShellphoneError {
  if (error instanceof ShellphoneError) return error
  const row = rows[error.code]
  if (row) return new ShellphoneError(...row)
  if ((error.statusCode ?? 500) < 500) return invalid(`body: ${error.message}`)
  return Object.assign(new ShellphoneError('EXECUTION_ERROR', 'Internal error; see the log'), {
    cause: error.stack,
  })
}

/** Responds to input that never became a request: the headers were too slow or too large, or the input was not HTTP. */
export function toClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  if (slow && isLongUpload(socket)) return
  const status = slow
    ? '408 Request Timeout'
    : error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : '400 Bad Request'
  const message = slow ? 'The request did not arrive in time' : 'Expected an HTTP request'
  const body = JSON.stringify({ error: { type: 'validation_error', message } })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Responds to a malformed or overlong path with 404. Unauthenticated clients get 401, so that they cannot probe for routes. */
export function badUrl(
  request: FastifyRequest,
  reply: FastifyReply,
  security: { authenticate(request: FastifyRequest): void },
): void {
  try {
    security.authenticate(request)
    throw new ShellphoneError('NOT_FOUND', 'No such route: the path is malformed or too long')
  } catch (error) {
    sendError(toShellphoneError(error as ShellphoneError), request, reply)
  }
}

export const unauthorized = () =>
  new ShellphoneError('UNAUTHORIZED', 'A valid token is required: Authorization: Bearer TOKEN')

/** Collects the routes as they are added. Returns the methods served at a path; an empty list means that the path does not exist. */
function servedMethods(app: FastifyInstance): (path: string) => string[] {
  const known = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const entry = known.get(url) ?? { pattern: toPattern(url), methods: new Set() }
    for (const one of [method].flat()) entry.methods.add(one)
    known.set(url, entry)
  })
  return (path) => {
    const fitting = [...known.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(fitting.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/** Turns `/runs/:id` into a regular expression. */
function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : escapePattern(part)))
  return new RegExp(`^${parts.join('/')}$`)
}
