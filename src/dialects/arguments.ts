import type { Static, TObject, TSchema } from '@sinclair/typebox'

export interface Fault {
  field: string
  /** null: the field is missing; otherwise what was wanted and what came */
  message: string | null
}

const asObject = (given: unknown): Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Record<string, unknown>) : {}

const isNumeric = (schema: TSchema) => schema.type === 'number' || schema.type === 'integer'

/** Models write numbers as strings and lists as one string; both are plain enough to take. */
const coerce = (schema: TSchema, value: unknown): unknown => {
  if (isNumeric(schema) && typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value)) return Number(value)
  if (schema.type !== 'array') return value
  const list = Array.isArray(value) ? value : [value]
  return list.map((item) => (typeof item === 'number' || typeof item === 'boolean' ? String(item) : item))
}

const fits = (schema: TSchema, value: unknown): boolean => {
  if (schema.enum) return schema.enum.includes(value)
  if (schema.type === 'array') return isStringList(value) && value.length <= (schema.maxItems ?? Infinity)
  if (!isNumeric(schema)) return typeof value === schema.type
  const whole = schema.type === 'number' || Number.isInteger(value)
  return Number.isFinite(value) && whole && isAboveMinimum(schema, value as number)
}

const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const isAboveMinimum = ({ minimum = -Infinity, exclusiveMinimum = -Infinity }: TSchema, value: number) =>
  value >= minimum && value > exclusiveMinimum

const wanted = (schema: TSchema): string => {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.type === 'array') return `a list of ${schema.maxItems ? `at most ${schema.maxItems} ` : ''}strings`
  const above = schema.exclusiveMinimum === undefined ? '' : ` above ${schema.exclusiveMinimum}`
  const least = schema.minimum === undefined ? '' : ` of at least ${schema.minimum}`
  return `${schema.type === 'integer' ? 'an' : 'a'} ${schema.type}${above}${least}`
}

const came = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/**
 * The arguments that the schema names, checked and completed by its defaults, or the first fault. Null counts as absent;
 * names that the schema does not know are left out.
 */
export const readArguments = <Schema extends TObject>(
  schema: Schema,
  given: unknown,
): { values: Static<Schema> } | { fault: Fault } => {
  const values: Record<string, unknown> = {}
  for (const [field, property] of Object.entries(schema.properties)) {
    const value = asObject(given)[field] ?? property.default
    if (value === undefined) {
      if (schema.required?.includes(field)) return { fault: { field, message: null } }
      continue
    }
    values[field] = coerce(property, value)
    if (!fits(property, values[field])) {
      return { fault: { field, message: `${field}: expected ${wanted(property)}, got ${came(value)}` } }
    }
  }
  return { values: values as Static<Schema> }
}

/** The names among the arguments that the schema does not know. */
export const unknownNames = (schema: TObject, given: unknown): string[] =>
  Object.keys(asObject(given)).filter((name) => !Object.hasOwn(schema.properties, name))

/** Blank commands are refused by every seed. */
export const isBlank = (text: string): boolean => text.trim() === ''
