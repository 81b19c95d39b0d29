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

const ref = Type.Optional(Type.String({ description: 'As the message had it that this answers' }))
const id = Type.String({ description: 'Of the run' })

/** Every message that a connection may be told, by its name in the contract. To add one, add a row. */
export const toldRows = {
  accepted: Type.Object({ type: Type.Literal('accepted'), ref, id }, { description: 'The command is a run now' }),
  status: StatusEvent,
  note: NoteEvent,
  output: OutputEvent,
  result: Type.Object({ ...ResultEvent.properties, ref }, { description: 'The record; always the last of a run' }),
  dialect_result: Type.Object(
    { type: Type.Literal('result'), ref, ...DialectAnswer.properties },
    { description: "What an agent's own tool answers" },
  ),
  stdin_taken: Type.Object(
    { type: Type.Literal('stdin_taken'), id, offset: Type.Integer() },
    { description: "The command's pipe has all bytes of its stdin before the offset" },
  ),
  run: Type.Object(
    { type: Type.Literal('run'), run: RunSummary },
    { description: 'A run that lives, and each step of each' },
  ),
  approval_requested: Type.Object(
    { type: Type.Literal('approval_requested'), approval: PendingApproval },
    { description: 'A question that waits for a person' },
  ),
  approval_decided: Type.Object(
    { type: Type.Literal('approval_decided'), id: Type.String(), run_id: Type.String(), ...ApprovalAnswer.properties },
    { description: 'How a question ended' },
  ),
  pong: Type.Object({ type: Type.Literal('pong') }, { description: 'The answer to a ping' }),
  error: Type.Object(
    { type: Type.Literal('error'), ref, id: Type.Optional(id), ...ErrorBody.properties },
    { description: 'What is wrong with a message; the connection lives' },
  ),
}

export type ToldName = keyof typeof toldRows
/** A message to a client. */
export type Told = Static<(typeof toldRows)[ToldName]>
