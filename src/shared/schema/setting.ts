import type { TObject, TSchema } from '@sinclair/typebox'

/** The description of one setting. */
export interface SettingRow {
  /** its key in config.yaml; its environment variable is SHELLPHONE_NAME, its flag --name-with-dashes */
  name: string
  schema: TSchema
  /** the default: a value, or a description of how it depends on the machine */
  default: unknown
  /** replaces the default in tables if it depends on the machine */
  defaultText?: string | undefined
  unit: string
  meaning: string
  /** read at each use, so that a change in config.yaml applies at once */
  live: boolean
}

/** The rows of a settings schema, one per property. `default` and `description` are keywords of TypeBox; `unit`, `defaultText` and `live` are ours. */
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

/** A fault of this machine or of its files, which a subcommand or the service prints in one line before it exits. */
export class SettingError extends Error {
  readonly exitCode: number = 1
}

/** Invalid input: an unknown name, or an invalid operand, option or setting. */
export class UsageError extends SettingError {
  override readonly exitCode = 2
}

/** A service or a control plane that does not respond. */
export class NoResponseError extends SettingError {
  override readonly exitCode = 3
}
