import { Type } from '@sinclair/typebox'

/** The header of POST /exec and POST /exec/:dialect, and the field `idempotency_key` of the WebSocket's exec. */
export const IdempotencyKey = Type.String({
  pattern: '^[\\x21-\\x7e]{1,255}$',
  description: 'The same key and body give the same run; 1 to 255 visible ASCII characters',
})
