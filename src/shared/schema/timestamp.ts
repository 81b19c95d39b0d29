import { Type } from '@sinclair/typebox'

/** A time on the wire; `what`: what happened then. */
export const Timestamp = (what: string) => Type.String({ description: `${what}, as ISO 8601 in UTC` })

/** A SHA-256 on the wire; `what`: what it is of. */
export const Sha256 = (what: string) => Type.String({ description: `SHA-256 of ${what}, in hexadecimal` })
