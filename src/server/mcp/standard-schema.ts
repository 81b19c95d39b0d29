import type { StandardSchemaV1 } from '@modelcontextprotocol/server'
import type { Static, TSchema } from '@sinclair/typebox'
import { firstError } from '../../shared/schema/index.ts'

/** Converts a TypeBox schema to the form that the SDK expects. */
export function standard<S extends TSchema>(schema: S): StandardSchemaV1<unknown, Static<S>> {
  const validate = (value: unknown) => {
    const fault = firstError(schema, value)
    return fault === null ? { value: value as Static<S> } : { issues: [{ message: fault.message }] }
  }
  return { '~standard': { version: 1, vendor: 'shellphone', validate } }
}
