import type { TSchema } from '@sinclair/typebox'
import { numbersFromStrings } from '../../shared/schema/index.ts'

/** Environment and flags are text: numbers and booleans as written, lists as JSON or separated by commas. Returns other text unchanged, for the validation to report. */
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

/** The first alternative that is not null. */
const kindOf = (schema: TSchema): TSchema => schema.anyOf.find((one: TSchema) => one.type !== 'null')
