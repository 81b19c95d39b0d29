import type { FastifyInstance, FastifySchema } from 'fastify'
import { type CommonStatus, errorResponses } from '../../src/http/index.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
/** The object with each value replaced by `to(value)`. */
export const mapValues = (value: Json, to: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(value).map(([name, item]) => [name, to(item)]))

/**
 * Converts a schema for the document. A schema with an `$id` becomes a reference, a union of words becomes an enum, and a stream of events
 * becomes the schema of one event's data, as generators expect.
 */
export function withReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withReferences)
  if (!isObject(schema)) return schema
  if (schema['x-event']) return withReferences(schema['x-event'])
  if (typeof schema.$id !== 'string') return withEnum(mapValues(schema, withReferences))
  return { $ref: `${schema.$id}#` }
}

/** Converts a route's schema for the document. It moves the description of a response out of the schema, which may be a reference. */
export function describeRoute({ response = {}, ...given }: FastifySchema): FastifySchema {
  const schema = given.body === undefined ? given : { ...given, body: bodyOf(given.body) }
  const all = { ...errorResponses(...statusesOfAll(schema)), ...(response as Json) }
  const responses = mapValues(all, (one) => {
    const { $id, description } = one as Json
    return $id && description
      ? { description, content: { 'application/json': { schema: withReferences(one) } } }
      : withReferences(one)
  })
  const { operationId } = given
  return { ...(withReferences({ ...schema, operationId: withoutSuffix(operationId) }) as Json), response: responses }
}

/** @fastify/swagger ends the id of every HEAD operation with this, because most are copies of GET operations. */
const withoutSuffix = (operationId = '') => operationId.replace(/-head$/, '')

/** The errors of every route (a foreign Origin or Host, a wrong token, too many wrong tokens, an internal error), and those of invalid input. */
function statusesOfAll({ body, params, querystring, security }: FastifySchema): CommonStatus[] {
  const hasInput = [body, params, querystring].some((one) => one !== undefined)
  return [
    ...([403, 500] as const),
    ...(security?.length === 0 ? [] : ([401, 429] as const)),
    ...(hasInput ? ([400] as const) : []),
    ...(body ? ([413, 415] as const) : []),
  ]
}

const NUMBER_TEXT = '^\\s*-?\\d+(\\.\\d+)?\\s*$'

/** Allows numeric strings for numbers in requests, because models send them. */
export function orText(schema: unknown): unknown {
  const { type, description, ...bounds } = schema as Json
  const isNumber = type === 'number' || type === 'integer'
  const text = { type: 'string', pattern: NUMBER_TEXT }
  return isNumber ? { ...(description ? { description } : {}), anyOf: [{ type, ...bounds }, text] } : schema
}

/** Allows numeric strings in a body, also in one whose schema responses share. ExecRequest allows them itself. */
function bodyOf(body: unknown): unknown {
  const { $id, properties, ...rest } = body as Json
  if (properties === undefined || $id === 'ExecRequest') return body
  return { ...rest, properties: mapValues(properties as Json, orText) }
}

function withEnum(schema: Json): Json {
  const { anyOf, ...rest } = schema
  const words = Array.isArray(anyOf) ? anyOf.map((one) => (one as Json).const) : []
  if (words.length === 0 || words.some((word) => typeof word !== 'string')) return schema
  return { type: 'string', enum: words, ...rest }
}

/** Calls `take` with every schema that has an `$id`, inner ones first, with references to the named schemas in it. */
export function eachNamed(schema: unknown, take: (id: string, shown: Json) => void): void {
  if (Array.isArray(schema)) return schema.forEach((one) => eachNamed(one, take))
  if (!isObject(schema)) return
  for (const part of Object.values(schema)) eachNamed(part, take)
  if (typeof schema.$id !== 'string') return
  const { $id, ...rest } = schema
  const shown = withEnum(mapValues(rest, withReferences))
  if ($id === 'ExecRequest') shown.properties = mapValues(shown.properties as Json, orText)
  take($id, shown)
}

/** Registers every schema with an `$id` that a route uses with the app. */
export function collectNamedSchemas(app: FastifyInstance): void {
  const add = ($id: string, shown: Json) => {
    if (!app.getSchema($id)) app.addSchema({ ...shown, $id })
  }
  app.addHook('onRoute', ({ schema }) => eachNamed(schema, add))
}
