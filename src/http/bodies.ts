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
  type RunEvent,
  ShellphoneError,
  visible,
} from '../shared/schema/index.ts'

/** JSON bodies, and none: many clients send the header always, so a body of no bytes is no body, and the route's schema judges that. */
export function jsonBodies(app: FastifyInstance): void {
  checkAsEverywhere(app)
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined)
    const trouble = jsonError(bytes as Buffer)
    if (trouble) return done(invalid(`body: ${trouble}`))
    const body = bytes.toString()
    const parsed = parse(request, body, (error, value) => (error ? done(notJson(body)) : done(null, value)))
    void Promise.allSettled([parsed]) // it answers through its callback
  })
}

function checkAsEverywhere(app: FastifyInstance): void {
  app.setValidatorCompiler<TSchema>(validator)
  app.setSerializerCompiler(() => JSON.stringify)
}

/** A body as what its JSON says, where it came as bytes. Throws VALIDATION_ERROR. */
export const bodyOf = (body: unknown): unknown => (Buffer.isBuffer(body) ? boundedJson(body, 'body') : body)

/** The checker that WebSocket uses too. */
const validator =
  ({ schema }: { schema: TSchema }) =>
  (value: unknown): { value: unknown } | { error: Error } => {
    try {
      return { value: check(schema, bodyOf(value)) }
    } catch (error) {
      return { error: error as Error }
    }
  }

/** Bodies as bytes, of whatever type; where a route has a schema of its body they are JSON. */
export function bodiesAsBytes(app: FastifyInstance): void {
  checkAsEverywhere(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
}

/** Where bodies are bytes, of whatever type, and are passed on as they come: none is held, and none is too long. */
export function bytesAsTheyCome(scope: FastifyInstance): void {
  checkAsEverywhere(scope) // a scope may have compilers of its own
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** its body is passed on as it comes */
    streams?: boolean
  }
}

const uploads = new WeakSet<Socket>()

/** From now on this request may take as long as it likes: whoever reads it sees to its end. */
export function longUpload({ raw }: Pick<FastifyRequest, 'raw'>): void {
  const { socket } = raw
  uploads.add(socket)
  raw.once('close', () => uploads.delete(socket))
}

/** Node says of each request that it takes too long, once. */
export const isLongUpload = (socket: Socket): boolean => uploads.has(socket)

/** Says where it stops being JSON; most often a shell has taken the quotes. */
function notJson(body: string): ShellphoneError {
  const hint = `in a shell the body stands in single quotes: curl --json '{"command": "ls"}'`
  return invalid(`body: expected JSON: ${troubleIn(body)}; ${hint}`)
}

function troubleIn(body: string): string {
  try {
    JSON.parse(body)
    return 'the names __proto__ and constructor.prototype are refused'
  } catch (error) {
    return visible((error as Error).message)
  }
}

/** FEAT-029's own words for a missing command, before the schema's; with the name that may stand for it (`cmd`). */
export async function requireCommand({ body }: { body: unknown }): Promise<void> {
  const fields = typeof body === 'object' ? { ...body } : { command: body }
  if ('command' in fields && fields.command !== undefined && fields.command !== null) return
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(ExecRequest.properties, name))
  const message =
    unknown === undefined ? COMMAND_REQUIRED : `${COMMAND_REQUIRED}; ${visible(unknown.slice(0, 60))}: unknown field`
  throw invalid(message, 'command')
}

/** A WebSocket message as the object that it is; throws VALIDATION_ERROR. */
export function parseMessage(bytes: Buffer): Record<string, unknown> {
  const trouble = jsonError(bytes)
  if (trouble) throw invalid(`message: ${trouble}`)
  let message: unknown
  try {
    message = JSON.parse(bytes.toString())
  } catch {
    throw invalid('message: expected JSON')
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
    return message as Record<string, unknown>
  }
  throw invalid('message: expected a JSON object')
}

/** Shorter texts are made again for each who asks. */
const LARGE_CHARACTERS = 4_096
const texts = new WeakMap<object, Buffer>()

/** JSON of an event or a record. It can be large, and many may wait for it: its text is made once, for all of them. */
export function jsonOf(value: RunEvent | ExecRecord): string | Buffer {
  const known = texts.get(value)
  if (known) return known
  const text = JSON.stringify(value)
  if (text.length < LARGE_CHARACTERS) return text
  const bytes = Buffer.from(text)
  texts.set(value, bytes)
  return bytes
}

/** An event with the name that its asker gave it. */
export function jsonWithRef(event: RunEvent, ref: string | undefined): string | Buffer {
  const text = jsonOf(event)
  if (ref === undefined) return text
  const head = `{"ref":${JSON.stringify(ref)},`
  return typeof text === 'string' ? head + text.slice(1) : Buffer.concat([Buffer.from(head), text.subarray(1)])
}
