import type { Static, TObject } from '@sinclair/typebox'
import { argumentsOfModel, firstError } from '../schema/index.ts'

/** A tool's arguments, checked and completed by the defaults of their schema; or why not. `noCommand`: the tool's own words for that, also for a blank one. */
export function readArguments<Schema extends TObject>(
  schema: Schema,
  given: unknown,
  noCommand: string,
): { values: Static<Schema> } | { refusal: string } {
  const values = argumentsOfModel(schema, given)
  const { command } = values
  const fault = firstError(schema, values)
  if (fault) return { refusal: command === undefined ? noCommand : fault.message }
  const isBlank = typeof command === 'string' && command.trim() === ''
  return isBlank ? { refusal: noCommand } : { values: values as Static<Schema> }
}
