import { type TSchema, Type } from '@sinclair/typebox'

/** One setting: `name` is its key in config.yaml; SHELLPHONE_NAME its environment name; --name-with-dashes its flag. */
export interface SettingRow {
  name: string
  schema: TSchema
  /** a value, or what the machine makes of it (platform, home) */
  default: unknown
  /** shown in the README where the default depends on the machine */
  defaultText?: string
  unit: string
  meaning: string
}

export const strings = Type.Array(Type.String({ minLength: 1 }), { maxItems: 256 })
export const count = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })
export const seconds = (minimum: number, maximum: number) => Type.Number({ minimum, maximum })
export const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
export const oneOf = (...names: string[]) => Type.Union(names.map((name) => Type.Literal(name)))

/** One row, on few lines. */
export const row = (
  name: string,
  schema: TSchema,
  value: unknown,
  unit: string,
  meaning: string,
  defaultText?: string,
): SettingRow => ({
  name,
  schema,
  default: value,
  unit,
  meaning,
  ...(defaultText === undefined ? {} : { defaultText }),
})

/** What a default may depend on. */
export interface Machine {
  platform: NodeJS.Platform
  home: string
  prefix: string | undefined
}
