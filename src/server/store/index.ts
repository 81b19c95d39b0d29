/**
 * store: what outlives a request. The spool keeps every byte of a run's output, history every record, keys which run an
 * Idempotency-Key stands for, approvals what a person said. It touches the disk and decides nothing.
 * Layout of its folder (0700, files 0600): history/NNNNNNNN.{jsonl,keys}, history/remembered, runs/<id>.{stdout,stderr,sums}, approvals.json.
 * To redact one more kind of secret add a row to redact.ts, its examples to test/server/store/secrets.ts; to keep one more thing of a run add a field to schema's ExecRecord.
 */
export { type ApprovalEvent, type ApprovalQuestion, bindingDigest, type PersonsAnswer } from './approval-question.ts'
export { Approvals, type ApprovalsOptions } from './approvals.ts'
export type { RunKey } from './history-line.ts'
export type { EndedRun, ListQuery } from './history-index.ts'
export { isRunId, newRunId, runIdMs } from './ids.ts'
export { cutCharacterBytes, type Offsets, type OutputPiece, type RunOutput } from './output.ts'
export type { OutputReader, ReaderKind } from './readers.ts'
export type { StoreOptions } from './options.ts'
export { redact, redactionRules } from './redact.ts'
export type { Spool } from './spool.ts'
export { createStore, type Store } from './store.ts'
