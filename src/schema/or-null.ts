import { type TSchema, Type } from '@sinclair/typebox'

export const orNull = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()])
