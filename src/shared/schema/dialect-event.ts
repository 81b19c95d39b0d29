import { type Static, Type } from '@sinclair/typebox'
import { kind, NoteEvent, OutputEvent, type RunEvent, RunId, StatusEvent } from './exec-record.ts'

/** The reply of an agent's own tool. */
export const DialectAnswer = Type.Object(
  {
    tool: Type.String({ description: 'The name of the tool' }),
    run_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The id of the run; null: the tool refused its arguments',
    }),
    is_error: Type.Boolean({ description: 'Whether the tool reports an error to its model' }),
    exit_code: Type.Optional(Type.Integer({ description: 'The exit code of the command; absent if it has none' })),
    error_type: Type.Optional(
      Type.String({
        description: 'Why the command did not run: validation_error, forbidden (denied), execution_error …',
      }),
    ),
    output: Type.String({ description: "The reply in the tool's own text format" }),
  },
  { $id: 'DialectAnswer', description: "The reply of an agent's own tool" },
)
export type DialectAnswer = Static<typeof DialectAnswer>

export const ToolStreamEvent = Type.Object(
  { ...OutputEvent.properties, type: kind('tool-stream') },
  { $id: 'ToolStreamEvent', description: "Output, under agent-world's name for it" },
)
const DialectResultEvent = Type.Object(
  { type: kind('result'), id: RunId, ...DialectAnswer.properties },
  { $id: 'DialectResultEvent', description: "The result of an agent's own tool; the last event" },
)

/** The events of a run that began in a dialect. */
export const DialectEvent = Type.Union([StatusEvent, NoteEvent, OutputEvent, ToolStreamEvent, DialectResultEvent])
/** An event of a run, in our own form or in that of a dialect. */
export type StreamedRunEvent = RunEvent | Static<typeof DialectEvent>
