import { type Static, Type } from '@sinclair/typebox'
import {
  ApprovalAnswer,
  NoteEvent,
  OutputEvent,
  PendingApproval,
  ResultEvent,
  RunSummary,
  StatusEvent,
} from '../../shared/schema/index.ts'
import { DialectAnswer } from './dialect-routes.ts'
import { ErrorBody } from '../../http/index.ts'

const ref = Type.Optional(Type.String({ description: 'The ref of the message that this answers' }))
const id = Type.String({ description: 'The id of the run' })

/** Every message that the service sends, by its name in the contract. To add one, add a row. */
export const serverMessageRows = {
  accepted: Type.Object({ type: Type.Literal('accepted'), ref, id }, { description: 'The command has become a run' }),
  status: StatusEvent,
  note: NoteEvent,
  output: OutputEvent,
  result: Type.Object(
    { ...ResultEvent.properties, ref },
    { description: 'The record; always the last message about a run' },
  ),
  dialect_result: Type.Object(
    { type: Type.Literal('result'), ref, ...DialectAnswer.properties },
    { description: "The result of an agent's own tool" },
  ),
  stdin_taken: Type.Object(
    { type: Type.Literal('stdin_taken'), id, offset: Type.Integer() },
    { description: "The command's stdin has accepted all bytes before the offset" },
  ),
  run: Type.Object(
    { type: Type.Literal('run'), run: RunSummary },
    { description: 'The record of a live run, at each of its steps' },
  ),
  approval_requested: Type.Object(
    { type: Type.Literal('approval_requested'), approval: PendingApproval },
    { description: 'A new approval request' },
  ),
  approval_decided: Type.Object(
    { type: Type.Literal('approval_decided'), id: Type.String(), run_id: Type.String(), ...ApprovalAnswer.properties },
    { description: 'How an approval request was decided' },
  ),
  pong: Type.Object({ type: Type.Literal('pong') }, { description: 'The response to a ping' }),
  error: Type.Object(
    { type: Type.Literal('error'), ref, id: Type.Optional(id), ...ErrorBody.properties },
    { description: 'What is wrong with a message; the connection stays open' },
  ),
}

export type ServerMessageName = keyof typeof serverMessageRows
/** A message to a client. */
export type ServerMessage = Static<(typeof serverMessageRows)[ServerMessageName]>
