import type { Socket } from 'node:net'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  boundedJson,
  check,
  COMMAND_REQUIRED,
  type ExecRecord,
  ExecRequest,
  invalid,
  jsonError,
  ShellphoneError,
  type StreamedRunEvent,
  visible,
} from '../shared/schema/index.ts'

/** Parses JSON bodies. Many clients always send Content-Type, so an empty body counts as no body; the route's schema decides whether it requires one. */
export function jsonBodies(app: FastifyInstance): void {
  checkAsEverywhere(app)
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined)
    const problem = jsonError(bytes as Buffer)
    if (problem) return done(invalid(`body: ${problem}`))
    const body = bytes.toString()
    const parsed = parse(request, body, (error, value) => (error ? done(notJson(body)) : done(null, value)))
    void Promise.allSettled([parsed]) // the callback reports the outcome
  })
}

function checkAsEverywhere(app: FastifyInstance): void {
  app.setValidatorCompiler<TSchema>(validator)
  app.setSerializerCompiler(() => JSON.stringify)
}

/** Parses a body that arrived as bytes as JSON; returns any other body unchanged. Throws VALIDATION_ERROR. */
export const bodyOf = (body: unknown): unknown => (Buffer.isBuffer(body) ? boundedJson(body, 'body') : body)

/** The validator that WebSocket messages use too. */
const validator =
  ({ schema }: { schema: TSchema }) =>
  (value: unknown): { value: unknown } | { error: Error } => {
    try {
      return { value: check(schema, bodyOf(value)) }
    } catch (error) {
      return { error: error as Error }
    }
  }

/** Accepts bodies of any type as bytes; a route with a body schema parses them as JSON. */
export function bodiesAsBytes(app: FastifyInstance): void {
  checkAsEverywhere(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
}

/** Passes on bodies of any type as they arrive. They have no size limit, because they are not held in memory. */
export function bytesAsTheyCome(scope: FastifyInstance): void {
  checkAsEverywhere(scope) // a scope may have its own compilers
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** true: the route receives its body as it arrives */
    streams?: boolean
  }
}

const uploads = new WeakSet<Socket>()

/** Exempts this request from the request timeout; its handler must limit how long the request takes. */
export function longUpload({ raw }: Pick<FastifyRequest, 'raw'>): void {
  const { socket } = raw
  uploads.add(socket)
  raw.once('close', () => uploads.delete(socket))
}

/** Whether a request on this socket is exempt from the timeout, which Node reports once for each request. */
export const isLongUpload = (socket: Socket): boolean => uploads.has(socket)

/** Reports where the body stops being valid JSON; the most frequent cause is a shell that removed the quotes. */
function notJson(body: string): ShellphoneError {
  const hint = `in a shell, put the body in single quotes: curl --json '{"command": "ls"}'`
  return invalid(`body: expected JSON: ${jsonErrorIn(body)}; ${hint}`)
}

function jsonErrorIn(body: string): string {
  try {
    JSON.parse(body)
    return 'the names __proto__ and constructor.prototype are not allowed'
  } catch (error) {
    return visible((error as Error).message)
  }
}

/** Reports a missing command with FEAT-029's message before the schema can, and names an unknown field that may be a typo (`cmd`). */
export async function requireCommand({ body }: { body: unknown }): Promise<void> {
  const fields = typeof body === 'object' ? { ...body } : { command: body }
  if ('command' in fields && fields.command !== undefined && fields.command !== null) return
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(ExecRequest.properties, name))
  const message =
    unknown === undefined ? COMMAND_REQUIRED : `${COMMAND_REQUIRED}; ${visible(unknown.slice(0, 60))}: unknown field`
  throw invalid(message, 'command')
}

/** Parses a WebSocket message as an object; throws VALIDATION_ERROR. */
export function parseMessage(bytes: Buffer): Record<string, unknown> {
  const problem = jsonError(bytes)
  if (problem) throw invalid(`message: ${problem}`)
  let message: unknown
  try {
    message = JSON.parse(bytes.toString())
  } catch (error) {
    throw invalid(`message: expected JSON: ${visible((error as Error).message)}`)
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
    return message as Record<string, unknown>
  }
  throw invalid('message: expected a JSON object')
}

/** JSON shorter than this is serialized again for each reader. */
const LARGE_CHARACTERS = 4_096
const texts = new WeakMap<object, Buffer>()

/** The JSON of an event or a record. It can be large and go to many readers, so a large one is serialized once for all of them. */
export function jsonOf(value: StreamedRunEvent | ExecRecord): string | Buffer {
  const known = texts.get(value)
  if (known) return known
  const text = JSON.stringify(value)
  if (text.length < LARGE_CHARACTERS) return text
  const bytes = Buffer.from(text)
  texts.set(value, bytes)
  return bytes
}

/** An event with the `ref` that its client chose. */
export function jsonWithRef(event: StreamedRunEvent, ref: string | undefined): string | Buffer {
  const text = jsonOf(event)
  if (ref === undefined) return text
  const head = `{"ref":${JSON.stringify(ref)},`
  return typeof text === 'string' ? head + text.slice(1) : Buffer.concat([Buffer.from(head), text.subarray(1)])
}
