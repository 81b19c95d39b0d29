import { type TSchema, Type } from '@sinclair/typebox'

/** Creates the schema of a setting with its default and unit. The functions below do the same for other types. */
export const count = (minimum: number, maximum: number, usual: number | null, unit = '') =>
  Type.Integer({ minimum, maximum, default: usual, unit })
export const bytes = (minimum: number, maximum: number, usual: number | null) => count(minimum, maximum, usual, 'bytes')
export const number = (minimum: number, maximum: number, usual: number, unit: string) =>
  Type.Number({ minimum, maximum, default: usual, unit })
export const seconds = (minimum: number, maximum: number, usual: number) => number(minimum, maximum, usual, 's')
export const flag = (usual: boolean) => Type.Boolean({ default: usual })
export const path = (usual: string | null) =>
  Type.String({ pattern: '^/', meant: 'an absolute path', default: usual, unit: 'path' })
export const strings = (unit: string, usual: [] | null = []) =>
  Type.Array(Type.String({ minLength: 1 }), { maxItems: 256, default: usual, unit })

/** Creates the schema of an enumeration. The default is the first name unless `usual` names another. */
export const oneOf = <const Name extends string>(names: [Name, ...Name[]], usual: Name = names[0]) =>
  Type.Union(
    names.map((name) => Type.Literal(name)),
    { default: usual },
  )

/** Allows null, which means no limit or no value, and keeps the default. */
export const orNull = <S extends TSchema>(schema: S) =>
  Type.Union([schema, Type.Null()], { default: schema.default, unit: schema.unit })

/** Adds the description to a schema, and a text for a default that depends on the machine. */
export const setting = <S extends TSchema>(description: string, schema: S, defaultText?: string): S => ({
  ...schema,
  description,
  defaultText,
})

/** Marks a setting that is read at each use, so that a change in config.yaml applies without a restart. */
export const live = <S extends TSchema>(schema: S): S => ({ ...schema, live: true })
