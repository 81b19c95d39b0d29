import type { TObject, TSchema } from '@sinclair/typebox'

/** One setting, in the one shape of all rooms. */
export interface SettingRow {
  /** its key in config.yaml; SHELLPHONE_NAME is its environment name, --name-with-dashes its flag */
  name: string
  schema: TSchema
  /** what holds where nothing is given: a value, or what the machine makes of it */
  default: unknown
  /** stands for the default in tables, where that depends on the machine */
  defaultText?: string | undefined
  unit: string
  meaning: string
  /** read where it is used: a change of config.yaml holds at once */
  live: boolean
}

/** The rows of a settings schema, one a property: `default` and `description` are TypeBox's words, `unit`, `defaultText` and `live` ours. */
export const settingRows = (schema: TObject): SettingRow[] =>
  Object.entries(schema.properties).map(([name, property]) => ({
    name,
    schema: property,
    default: property.default,
    defaultText: property.defaultText,
    unit: property.unit ?? '',
    meaning: property.description ?? '',
    live: property.live === true,
  }))

/** A setting that is wrong or unknown: the start stops with this one line. */
export class SettingError extends Error {
  readonly exitCode = 1
}
