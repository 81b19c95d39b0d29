import type { TSchema } from '@sinclair/typebox'
import { numbersFromStrings } from '../../shared/schema/index.ts'

/**
 * Converts the text of an environment variable or a flag to a value: a number, a boolean, or a list (as JSON or separated by commas).
 * Returns any other text unchanged; the validation reports it.
 */
export function fromText(schema: TSchema, text: string): unknown {
  if (schema.type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  if (schema.anyOf) return text === 'null' ? null : fromText(kindOf(schema), text)
  if (schema.type !== 'array') return numbersFromStrings(schema, text)
  try {
    if (text.trim().startsWith('[')) return JSON.parse(text)
  } catch {
    return text // not JSON; the validation reports it
  }
  return text.split(',').filter((part) => part !== '')
}

/** Whether a setting is a list. */
export const isList = (schema: TSchema): boolean => (schema.anyOf ? kindOf(schema) : schema).type === 'array'

/** Returns the first alternative that is not null. */
const kindOf = (schema: TSchema): TSchema => schema.anyOf.find((one: TSchema) => one.type !== 'null')
