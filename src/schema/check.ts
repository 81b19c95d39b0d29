import { Kind, type Static, type TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler, type ValueError } from '@sinclair/typebox/compiler'
import { ShellphoneError } from './errors.ts'

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

function checkerOf(schema: TSchema): TypeCheck<TSchema> {
  const known = compiled.get(schema)
  if (known) return known
  const checker = TypeCompiler.Compile(schema)
  compiled.set(schema, checker)
  return checker
}

/** Says what a schema wants, in plain words: "an integer of at least 1". */
export function wanted(schema: TSchema): string {
  if (schema.anyOf) return `one of ${schema.anyOf.map((one: TSchema) => wanted(one)).join(', ')}`
  if (schema.enum) return `one of ${schema.enum.map((one: unknown) => JSON.stringify(one)).join(', ')}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const { minimum, maximum } = schema
  const bounds = [
    schema.exclusiveMinimum !== undefined && `greater than ${schema.exclusiveMinimum}`,
    minimum !== undefined && (maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`),
    schema.minLength && `of at least ${schema.minLength} characters`,
    schema.pattern && `matching ${schema.pattern}`,
    schema.maxItems !== undefined && `of at most ${schema.maxItems} items`,
  ].filter(Boolean)
  return [nouns[schema[Kind]] ?? String(schema.type), bounds.join(' and ')].join(' ').trim()
}

const nouns: Record<string, string> = {
  Integer: 'an integer',
  Number: 'a number',
  String: 'a string',
  Boolean: 'true or false',
  Object: 'an object',
  Record: 'an object of strings',
  Array: 'a list of strings',
  Null: 'null',
}

/** Shows what came, shortened to 60 characters. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

/** Numbers may come as numeric strings, because models write them so. Other types are left as they came. */
export function numbersFromStrings(schema: TSchema, value: unknown): unknown {
  if (schema.type === 'number' || schema.type === 'integer') return asNumber(value)
  if (schema.type !== 'object' || !schema.properties || typeof value !== 'object' || !value) return value
  const result: Record<string, unknown> = { ...value }
  for (const [name, one] of Object.entries(schema.properties as Record<string, TSchema>)) {
    if (name in result && (one.type === 'number' || one.type === 'integer')) result[name] = asNumber(result[name])
  }
  return result
}

function asNumber(value: unknown): unknown {
  const numeric = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value)
  return numeric ? Number(value) : value
}

/** The first thing that is wrong: which field, what was wanted, what came. Null when nothing is. */
export function firstError(schema: TSchema, value: unknown): { field: string; message: string } | null {
  if (schema.type === 'object' && Array.isArray(value)) {
    return { field: '', message: 'body: expected an object, got a list' }
  }
  if (schema.enum) {
    return schema.enum.includes(value)
      ? null
      : { field: '', message: `body: expected ${wanted(schema)}, got ${shown(value)}` }
  }
  const checker = checkerOf(schema)
  if (checker.Check(value)) return null
  const error = [...checker.Errors(value)].sort(mostTelling)[0] as ValueError
  const field = error.path.slice(1).replaceAll('/', '.')
  if (/Unexpected property/.test(error.message)) return { field, message: `${field}: unknown field` }
  return { field, message: `${field || 'body'}: expected ${wanted(error.schema)}, got ${shown(error.value)}` }
}

/** An unknown field says more than what it shadows. */
function mostTelling(a: ValueError, b: ValueError): number {
  return Number(/Unexpected/.test(b.message)) - Number(/Unexpected/.test(a.message))
}

/**
 * The one checker of everything that comes from outside (HTTP, WebSocket, settings): returns the value with numeric
 * strings as numbers, or throws VALIDATION_ERROR naming the field, what was wanted and what came.
 */
export function check<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const converted = numbersFromStrings(schema, value)
  const error = firstError(schema, converted)
  if (error) throw new ShellphoneError('VALIDATION_ERROR', error.message, { field: error.field || undefined })
  return converted as Static<S>
}
