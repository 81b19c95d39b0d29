import { type TSchema, Type } from '@sinclair/typebox'

/** What a setting may be, with what it is where nothing is given, and its unit. */
export const count = (minimum: number, maximum: number, usual: number | null, unit = '') =>
  Type.Integer({ minimum, maximum, default: usual, unit })
export const bytes = (minimum: number, maximum: number, usual: number | null) => count(minimum, maximum, usual, 'bytes')
export const number = (minimum: number, maximum: number, usual: number, unit: string) =>
  Type.Number({ minimum, maximum, default: usual, unit })
export const seconds = (minimum: number, maximum: number, usual: number) => number(minimum, maximum, usual, 's')
export const flag = (usual: boolean) => Type.Boolean({ default: usual })
export const path = (usual: string | null) => Type.String({ pattern: '^/', default: usual, unit: 'path' })
export const strings = (unit: string, usual: [] | null = []) =>
  Type.Array(Type.String({ minLength: 1 }), { maxItems: 256, default: usual, unit })

/** One of these words: the first, where nothing is given and no other is named. */
export const oneOf = <const Name extends string>(names: [Name, ...Name[]], usual: Name = names[0]) =>
  Type.Union(
    names.map((name) => Type.Literal(name)),
    { default: usual },
  )

/** Or null: no limit, nothing of the kind. What is usual stays. */
export const orNull = <S extends TSchema>(schema: S) =>
  Type.Union([schema, Type.Null()], { default: schema.default, unit: schema.unit })

/** Gives a schema its sentence, and a text for a default that depends on the machine. */
export const setting = <S extends TSchema>(description: string, schema: S, defaultText?: string): S => ({
  ...schema,
  description,
  defaultText,
})

/** Says that a setting is read where it is used: a change of config.yaml holds at once, without a restart. */
export const live = <S extends TSchema>(schema: S): S => ({ ...schema, live: true })
