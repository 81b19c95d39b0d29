import type { Static, TObject } from '@sinclair/typebox'
import { argumentsOfModel, tryCheck } from '../schema/index.ts'

/** A tool's arguments, checked and completed by the defaults of their schema; or why not. `noCommand`: the tool's own words for that. */
export function readArguments<Schema extends TObject>(
  schema: Schema,
  given: unknown,
  noCommand: string,
): { values: Static<Schema> } | { refusal: string } {
  const result = tryCheck(schema, given, argumentsOfModel)
  const command = argumentsOfModel(schema, given).command
  if ('value' in result) return isBlank(command) ? { refusal: noCommand } : { values: result.value }
  return { refusal: command === undefined ? noCommand : result.fault.message }
}

/** Blank commands are refused by every tool. */
const isBlank = (command: unknown) => typeof command === 'string' && command.trim() === ''
