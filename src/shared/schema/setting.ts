import type { TObject, TSchema } from '@sinclair/typebox'

/** One setting, in the form that all modules use. */
export interface SettingRow {
  /** its key in config.yaml; SHELLPHONE_NAME is its environment name, --name-with-dashes its flag */
  name: string
  schema: TSchema
  /** the default: a value, or a description of how the machine determines it */
  default: unknown
  /** replaces the default in tables if it depends on the machine */
  defaultText?: string | undefined
  unit: string
  meaning: string
  /** read at each use: a change of config.yaml applies at once */
  live: boolean
}

/** The rows of a settings schema, one per property: `default` and `description` are TypeBox's keywords, `unit`, `defaultText` and `live` ours. */
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

/** A wrong or unknown setting: the start fails with this one line. */
export class SettingError extends Error {
  readonly exitCode = 1
}
