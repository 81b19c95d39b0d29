import { Type } from '@sinclair/typebox'

/** Schemas of fields that need only a description. */
export const text = (description: string) => Type.String({ description })
export const time = (description: string) => Type.String({ format: 'date-time', description })
export const count = (description: string) => Type.Integer({ minimum: 0, description })
export const labels = (description: string) => Type.Record(Type.String(), Type.String(), { description })
