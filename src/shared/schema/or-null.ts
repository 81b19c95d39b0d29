import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox'

/** The union of a type and null. It has the description of the type, as readers of the contract look for it there. */
export const orNull = <T extends TSchema>(type: T, more: SchemaOptions = {}) =>
  Type.Union([type, Type.Null()], type.description === undefined ? more : { description: type.description, ...more })
