import { Kind, type SchemaOptions, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { Errors, type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { Check } from '@sinclair/typebox/value'
import { invalid } from './errors.ts'
import { nameMeaning } from './name.ts'
import { meantName } from './nearest-names.ts'

/** The maximum number of errors to inspect; a value can have any number. */
const MAX_ERRORS = 64

/** Describes in plain English the values that a schema accepts: "an integer of at least 1". `meant` says what a pattern stands for. */
export function wanted(schema: TSchema): string {
  const meant = schema.meant ?? nameMeaning(schema.pattern)
  if (meant) return meant
  if (schema.anyOf || schema.enum) {
    const all = alternatives(schema)
    return all.length === 2 && all[1] === 'null' ? `${all[0]} or null` : `one of ${all.join(', ')}`
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const { minimum, maximum } = schema
  const bounds = [
    schema.exclusiveMinimum !== undefined && `greater than ${schema.exclusiveMinimum}`,
    schema.exclusiveMinimum !== undefined && maximum !== undefined && `at most ${maximum}`,
    minimum !== undefined && (maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`),
    lengthBound(schema),
    schema.pattern && `matching ${schema.pattern}`,
    schema.maxItems !== undefined && `of at most ${schema.maxItems} items`,
  ].filter(Boolean)
  return [nouns[schema[Kind]] ?? String(schema.type), bounds.join(' and ')].join(' ').trim()
}

function lengthBound({ minLength, maxLength }: TSchema): string | undefined {
  if (maxLength === undefined)
    return minLength && `of at least ${minLength} ${minLength === 1 ? 'character' : 'characters'}`
  return minLength ? `of ${minLength} to ${maxLength} characters` : `of at most ${maxLength} characters`
}

/** The alternatives of a union, of the unions in it, and of an enum. */
function alternatives(schema: TSchema): string[] {
  if (schema.anyOf) return schema.anyOf.flatMap(alternatives)
  return schema.enum ? schema.enum.map((one: unknown) => JSON.stringify(one)) : [wanted(schema)]
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

/** Shows the received value, shortened to 60 characters. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 60) : value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

TypeRegistry.Set<{ enum: string[] }>('Word', ({ enum: words }, value) => words.includes(value as string))

/** A schema for one of these words, as an `enum` of JSON Schema, which models understand best. */
export function oneWordOf<const Word extends string>(words: readonly Word[], options: SchemaOptions = {}) {
  return Type.Unsafe<Word>({ ...options, [Kind]: 'Word', type: 'string', enum: words })
}

/** Converts numeric strings to numbers where the schema expects numbers, because models send such strings. Other values stay unchanged. */
export function numbersFromStrings(schema: TSchema, value: unknown): unknown {
  if (numeric.has(schema.type)) return asNumber(value)
  if (schema.type !== 'object' || !schema.properties || !isObject(value)) return value
  const result: Record<string, unknown> = { ...value }
  for (const [name, one] of Object.entries(schema.properties as Record<string, TSchema>)) {
    if (name in result && numeric.has(one.type)) result[name] = asNumber(result[name])
  }
  return result
}

/**
 * Normalizes the arguments that a model passes to a tool. The default replaces null and missing values. A single word becomes a list of one
 * word, and a number in a list becomes a string. Numeric strings become numbers where the schema expects them. Unknown names are dropped. A
 * value that is not an object becomes an empty object.
 */
export function argumentsOfModel(schema: TSchema, value: unknown): Record<string, unknown> {
  const given = isObject(value) ? value : {}
  const result: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(schema.properties as Record<string, TSchema>)) {
    const field = given[name] ?? one.default
    if (field === undefined) continue
    result[name] = one.type === 'array' ? asWords(field) : numbersFromStrings(one, field)
  }
  return result
}

const numeric = new Set<unknown>(['number', 'integer'])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asWords = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : [value]).map((item) =>
    typeof item === 'number' || typeof item === 'boolean' ? String(item) : item,
  )

function asNumber(value: unknown): unknown {
  const numeric = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value)
  return numeric ? Number(value) : value
}

/** A validation error: the field ('' for the whole value), and a message that says what was expected and what was received. */
interface Fault {
  field: string
  message: string
}

/** The most specific error, or null if the value is valid. */
export function firstError(schema: TSchema, value: unknown): Fault | null {
  if (schema.type === 'object' && Array.isArray(value)) {
    return { field: '', message: 'body: expected an object, got a list' }
  }
  if (Check(schema, value)) return null
  const error = mostSpecific(Errors(schema, [], value))
  const field = error.path.slice(1).replaceAll('/', '.')
  if (isUnknownField(error)) {
    const { properties } = error.schema // none in a record, whose names must match a pattern
    return { field, message: unknownField(field, properties === undefined ? [] : Object.keys(properties)) }
  }
  const isTooLong = error.type === ValueErrorType.StringMaxLength
  const expected = isTooLong ? `a string of at most ${error.schema.maxLength} characters` : wanted(error.schema)
  return { field, message: `${field || 'body'}: expected ${expected}, got ${shown(error.value)}` }
}

/** Says which fields exist, and which of them was probably meant. */
export function unknownField(field: string, names: readonly string[]): string {
  const meant = meantName(field.slice(field.lastIndexOf('.') + 1), names)
  const expected = names.length === 0 ? '' : `; expected one of ${names.join(', ')}`
  return `${field}: unknown field${expected}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

const isUnknownField = ({ type }: ValueError) => type === ValueErrorType.ObjectAdditionalProperties

/** Prefers an error about an unknown field to the errors that follow from it. Inspects only the first MAX_ERRORS. */
function mostSpecific(errors: Iterable<ValueError>): ValueError {
  const found: ValueError[] = []
  for (const error of errors) {
    if (isUnknownField(error)) return error
    if (found.push(error) === MAX_ERRORS) break
  }
  return found[0]!
}

/** Returns the valid value (from HTTP, a WebSocket or the settings). Throws VALIDATION_ERROR with the field, what was expected and what was received. */
export function check<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const converted = numbersFromStrings(schema, value)
  const fault = firstError(schema, converted)
  if (fault === null) return converted as Static<S>
  throw invalid(fault.message, fault.field || undefined)
}
