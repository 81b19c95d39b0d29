import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'

// fastify's own validator, so that the tests need no further package
const requireFromFastify = createRequire(createRequire(import.meta.url).resolve('fastify'))

/** Reads the contracts: openapi.yaml, that of the control plane's own routes, and asyncapi.yaml. */
export function readContract(root) {
  const read = (file) => parse(readFileSync(join(root, file), 'utf8'))
  return {
    openapi: read('openapi.yaml'),
    plane: read('src/fleet/plane/plane-openapi.yaml'),
    asyncapi: read('src/server/routes/asyncapi.yaml'),
  }
}

/** Empties the folder in which test/support/record-traffic.mjs records, and writes the paths of the contract into it. */
export function prepareTraffic({ openapi, plane }, folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // paths without parameters first, because /exec/{dialect} matches more than one path
  const namesIn = ({ paths }) =>
    Object.keys(paths).sort((one, other) => one.split('{').length - other.split('{').length)
  writeFileSync(join(folder, 'paths.json'), JSON.stringify({ openapi: namesIn(openapi), plane: namesIn(plane) }))
}

/**
 * Compares the recorded traffic with the contract. Returns the violations, each once, and counts of what was compared; null if no service has recorded
 * any traffic.
 */
export function checkTraffic(contract, folder) {
  const files = readdirSync(folder).filter((one) => one.endsWith('.jsonl'))
  if (files.length === 0) return null
  const documents = { openapi: closed(contract.openapi), plane: closed(contract.plane) }
  const asyncapi = closed(contract.asyncapi)
  const { default: Ajv } = requireFromFastify('ajv/dist/2020.js')
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false })
  ajv.addSchema(documents.openapi, 'openapi').addSchema(documents.plane, 'plane').addSchema(asyncapi, 'asyncapi')
  const validators = new Map()
  /** The errors in a value; null: it is valid. `path`: where the document has the schema. */
  function errorsOf(value, document, ...path) {
    const names = path.map((name) => encodeURIComponent(String(name).replaceAll('~', '~0').replaceAll('/', '~1')))
    const ref = `${document}#/${names.join('/')}`
    const isValid = validators.get(ref) ?? ajv.compile({ $ref: ref })
    validators.set(ref, isValid)
    return isValid(value) ? null : isValid.errors
  }
  const counts = {
    exchanges: 0,
    operations: new Set(),
    answers: new Set(),
    messages: 0,
    types: new Set(),
  }
  const violations = new Set()
  const messagesByType = new Map()
  for (const [name, { payload }] of Object.entries(asyncapi.components.messages)) {
    const type = payload.properties?.type?.const
    if (type !== undefined) messagesByType.set(type, [...(messagesByType.get(type) ?? []), name])
  }

  function checkMessage(message) {
    counts.messages++
    counts.types.add(message.type)
    const names = messagesByType.get(message.type) ?? []
    const errors = names.map((name) => errorsOf(message, 'asyncapi', 'components', 'messages', name, 'payload'))
    if (errors.includes(null)) return
    violations.add(`message ${message.type}: ${errors.length === 0 ? 'not declared' : worded(errors[0])}`)
  }

  function checkExchange({
    method,
    path,
    status,
    media,
    empty,
    body,
    event,
    given,
    query,
    isPlane,
    document = 'openapi',
  }) {
    counts.exchanges++
    const operations = path === null ? {} : documents[document].paths[path]
    const own = method.toLowerCase()
    const verb = own === 'head' && !operations.head ? 'get' : own
    const operation = operations[verb]
    const whose = document === 'plane' ? ' of the control plane' : ''
    const name = `${method} ${path ?? 'another path'} ${status}${whose}`
    if (!operation) {
      const isError =
        media === 'application/json' && errorsOf(body, 'openapi', 'components', 'schemas', 'Error') === null
      if (status >= 400 && !isError && !empty) violations.add(`${name}: not an error body`)
      return
    }
    counts.operations.add(`${method} ${path}${whose}`)
    counts.answers.add(name)
    const answer = operation.responses[status]
    const isOfPlane = isPlane && status >= 400 && errorsOf(body, 'openapi', 'components', 'schemas', 'Error') === null
    if (answer === undefined && isOfPlane) return // of the control plane, which adds errors of its own
    if (answer === undefined) return void violations.add(`${name}: status not declared`)
    const declared = Object.keys(answer.content ?? {})
    if (empty) {
      if (
        declared.length > 0 &&
        method !== 'HEAD' &&
        media !== null &&
        !media.startsWith('text/') &&
        media !== 'application/octet-stream'
      )
        violations.add(`${name}: empty body not declared`)
    } else if (!declared.includes(media)) violations.add(`${name}: type ${media} not declared`)
    else if (body !== undefined || event) {
      const where = ['paths', path, verb, 'responses', String(status), 'content', media, 'schema']
      const { schema } = answer.content[media]
      if (body !== undefined) add(name, errorsOf(body, document, ...where))
      else if (schema.type !== 'string') {
        add(`${name} event ${event.name}`, errorsOf(event.data, document, ...where))
        if (event.data?.type !== event.name)
          violations.add(`${name}: event ${event.name} with type ${event.data?.type}`)
      }
    }
    const json = ['requestBody', 'content', 'application/json', 'schema']
    if (given !== undefined && operation.requestBody?.content['application/json'])
      add(`${name}, its request`, errorsOf(given, document, 'paths', path, verb, ...json))
    const names = (operation.parameters ?? []).filter((one) => one.in === 'query').map((one) => one.name)
    for (const one of query) if (!names.includes(one)) violations.add(`${name}, its request: query ${one} not declared`)
  }
  const add = (name, errors) => errors && violations.add(`${name}: ${worded(errors)}`)

  const seen = new Set()
  for (const file of files) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line === '' || seen.has(line)) continue
      seen.add(line)
      const facts = JSON.parse(line)
      if (facts.message) checkMessage(facts.message)
      else checkExchange(facts)
    }
  }
  const { exchanges, operations, answers, messages, types } = counts
  const summary = `${exchanges} exchanges (${operations.size} operations, ${answers.size} with a status), ${messages} messages (${types.size} types)`
  return { summary, violations: [...violations].sort() }
}

const worded = (errors) =>
  errors
    .map(
      ({ instancePath, message, params }) =>
        `${instancePath || 'body'} ${message}${params.additionalProperty ? ` (${params.additionalProperty})` : ''}`,
    )
    .slice(-3)
    .join('; ')

/** Forbids undeclared fields in every object that lists its fields. */
function closed(value) {
  if (Array.isArray(value)) return value.map(closed)
  if (value === null || typeof value !== 'object') return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]))
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined)
    copy.additionalProperties = false
  return copy
}
