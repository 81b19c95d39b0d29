import { Type } from '@sinclair/typebox'
import { Encoding, RunId } from '../../shared/schema/index.ts'

/** The parameter of the routes of one run. */
export const RunParams = Type.Object({ id: RunId })

export const Stream = Type.Union([Type.Literal('stdout'), Type.Literal('stderr')], {
  description: 'The stream to read (default: stdout)',
})

/** For a run that was started with `"stdin": "open"`. `end` closes stdin after the data; `offset` is the offset of the first byte. */
export const StdinInput = Type.Object(
  {
    data: Type.Optional(Type.String({ description: 'The bytes for stdin, in this encoding' })),
    encoding: Type.Optional(Encoding),
    end: Type.Optional(Type.Boolean({ description: 'Close stdin after the data (default: false)' })),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Offset of the first byte, in bytes (default: after everything received so far)',
      }),
    ),
  },
  { additionalProperties: false },
)

export const SignalInput = Type.Object(
  { signal: Type.String({ description: 'A signal name from signal(7), such as SIGINT or INT' }) },
  { additionalProperties: false },
)

export const FramesInput = Type.Object(
  {
    frames: Type.Union([Type.Literal('text'), Type.Literal('binary')], {
      description: 'The form of output from now on',
    }),
  },
  { additionalProperties: false },
)
