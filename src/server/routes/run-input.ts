import { Type } from '@sinclair/typebox'

/** For a run that was started with `"stdin": "open"`. `end` closes stdin after the data; `offset` is the offset of the first byte. */
export const StdinInput = Type.Object(
  {
    data: Type.Optional(Type.String()),
    encoding: Type.Optional(Type.Union([Type.Literal('utf8'), Type.Literal('base64')])),
    end: Type.Optional(Type.Boolean()),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Offset in bytes; default: after everything received so far' }),
    ),
  },
  { additionalProperties: false },
)

export const SignalInput = Type.Object(
  { signal: Type.String({ description: 'A signal name from signal(7), such as SIGINT or INT' }) },
  { additionalProperties: false },
)
