import type { Static, TObject, TSchema } from '@sinclair/typebox'
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

/** One setting under `dialects.<name>` in config.yaml, by the key that the agent's own configuration has for it. */
export interface SettingRow {
  name: string
  schema: TSchema
  default: unknown
  meaning: string
}

/** The rows of a settings schema: TypeBox properties, each with `default` and `description`. */
export const settingRows = (schema: TObject): SettingRow[] =>
  Object.entries(schema.properties).map(([name, property]) => ({
    name,
    schema: property,
    default: property.default,
    meaning: property.description ?? '',
  }))

/** Every setting of a dialect: the given ones (already checked), the rest by default. */
export const settingsOf = (dialect: { settings: SettingRow[] }, given: Record<string, unknown> = {}) =>
  Object.fromEntries(dialect.settings.map((row) => [row.name, given[row.name] ?? row.default]))
