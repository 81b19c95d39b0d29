import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import {
  ApprovalAnswer,
  DialectAnswer,
  kind,
  NoteEvent,
  OutputEvent,
  PendingApproval,
  ResultEvent,
  RunId,
  RunSummary,
  StatusEvent,
  ToolStreamEvent,
} from '../../shared/schema/index.ts'
import { ErrorBody } from '../../http/index.ts'

const ref = Type.Optional(Type.String({ description: 'The ref of the message that this one answers' }))
const id = RunId
const requestId = Type.String({ description: 'The id of the approval request' })

/** An event of a run, with the `ref` of the message that began the run or attached to it. */
const withRef = <Fields extends TProperties>({ properties, description }: TObject<Fields>, meaning = description) =>
  Type.Object({ ...properties, ref }, meaning === undefined ? {} : { description: meaning })

/** Every message that the service sends, by its name in the contract. To add one, add a row. */
export const serverMessageRows = {
  accepted: Type.Object({ type: kind('accepted'), ref, id }, { description: 'The command has become a run' }),
  status: withRef(StatusEvent),
  note: withRef(NoteEvent),
  output: withRef(OutputEvent),
  tool_stream: withRef(ToolStreamEvent),
  result: withRef(ResultEvent, 'The record; always the last message about a run'),
  dialect_result: Type.Object(
    { type: kind('result'), ref, id: Type.Optional(id), ...DialectAnswer.properties },
    { description: "The result of an agent's own tool; without an id if the tool refused its arguments" },
  ),
  stdin_taken: Type.Object(
    { type: kind('stdin_taken'), ref, id, offset: Type.Integer({ description: 'How many bytes it has accepted' }) },
    { description: "The command's stdin has accepted all bytes before the offset" },
  ),
  run: Type.Object(
    { type: kind('run'), run: RunSummary },
    { description: 'The record of a live run, at each of its steps' },
  ),
  approval_requested: Type.Object(
    { type: kind('approval_requested'), approval: PendingApproval },
    { description: 'A new approval request' },
  ),
  approval_decided: Type.Object(
    { type: kind('approval_decided'), id: requestId, run_id: id, ...ApprovalAnswer.properties },
    { description: 'How an approval request was decided' },
  ),
  pong: Type.Object({ type: kind('pong'), ref }, { description: 'The response to a ping' }),
  error: Type.Object(
    { type: kind('error'), ref, id: Type.Optional(id), ...ErrorBody.properties },
    { description: 'What is wrong with a message; the connection stays open' },
  ),
}

export type ServerMessageName = keyof typeof serverMessageRows
/** A message to a client. */
export type ServerMessage = Static<(typeof serverMessageRows)[ServerMessageName]>
