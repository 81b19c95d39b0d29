import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox'

export const orNull = <T extends TSchema>(type: T, more: SchemaOptions = {}) => Type.Union([type, Type.Null()], more)
