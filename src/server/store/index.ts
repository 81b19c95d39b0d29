/**
 * store: data that outlives a request. The spool stores the output of a run, history stores every record, keys map an
 * Idempotency-Key to its run, approvals hold pending requests and saved rules. The module reads and writes the disk but makes no decisions.
 * Layout of its folder (0700, files 0600): history/NNNNNNNN.{jsonl,keys}, history/remembered, runs/<id>.{stdout,stderr,sums}, approvals.json.
 * To redact another kind of secret, add a row to redact.ts and examples to test/server/store/secrets.ts; to store another fact about a run, add a field to schema's ExecRecord.
 */
export {
  type AnswerContext,
  type ApprovalEvent,
  type ApprovalQuestion,
  bindingDigest,
  type HumanAnswer,
} from './approval-question.ts'
export { Approvals, type ApprovalsOptions } from './approvals.ts'
export { positionAt } from './arrival-order.ts'
export type { RunKey } from './history-line.ts'
export { isLater, type RunEvents, type StoredRunEvent } from './history-events.ts'
export type { EndedRun, ListQuery } from './history-index.ts'
export { newRunId, noSuchRun } from './ids.ts'
export { cutCharacterBytes, type Offsets, type OutputPiece, type RunOutput } from './output.ts'
export type { OutputReader, ReaderKind } from './readers.ts'
export type { StoreOptions } from './options.ts'
export { redact, redactionRules } from './redact.ts'
export { searchOutput } from './search-output.ts'
export type { Spool } from './spool.ts'
export { createStore, type Store } from './store.ts'
