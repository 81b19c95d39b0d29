import { Type } from '@sinclair/typebox'
import { errorTable } from '../schema/index.ts'

/** The one shape of all errors on the wire. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object({ type: Type.String(), message: Type.String(), field: Type.Optional(Type.String()) }),
  },
  { $id: 'Error' },
)

/** The response schemas of the statuses named, with the error types that each can carry. */
export function errorResponses(...statuses: number[]): Record<number, unknown> {
  return Object.fromEntries(statuses.map((status) => [status, { ...ErrorBody, description: typesOf(status) }]))
}

function typesOf(status: number): string {
  const rows = Object.values(errorTable).filter((row) => row.status === status)
  return rows.map((row) => row.type).join(', ')
}
