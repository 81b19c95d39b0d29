/**
 * exec: runs commands. execute.ts (one page) takes a request to its record: `open` prepares it; `execute` decides, asks, runs and records.
 * The executor holds the live runs and is the interface for all routes. To add a step, write a file for it and call it in execute.ts.
 */
export {
  type Offsets,
  type OutputPiece,
  type OutputReader,
  type ReaderKind,
  isLater,
  type RunEvents,
  type RunOutput,
  positionAt,
  searchOutput,
  type StoredRunEvent,
} from '../store/index.ts'
export type { Caller, CommandContext } from './command.ts'
export type { CheckRequest } from './check-policy.ts'
export { baseEnvironment, isRefused } from './environment.ts'
export { createExecutor, DURATION_BUCKETS } from './executor.ts'
export type { Executor, Tally } from './executor-verbs.ts'
export type { Transfers } from './transfer-verbs.ts'
export { realpathOrNull } from './lookups.ts'
export { createJudge } from './judge.ts'
export { createReach } from './reach.ts'
export { toReply } from './record.ts'
export { looksSecret } from './secret-names.ts'
export { seenBy } from './seen-by.ts'
export type { OpenStdin } from './open-stdin.ts'
export type { Run, Watched } from './run.ts'
export { checkStarted, feedStdin, resizeTerminal, sendSignal, stdinOf } from './run-verbs.ts'
export type { RunHelper, Transfer, TransferContext, TransferResult, TransferTarget } from './transfer.ts'
export { type EventForm, type EventOptions, eventsOf, waitingNote } from './run-events.ts'
