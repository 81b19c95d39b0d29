/**
 * exec: the verb. `execute` (one page) carries a Request to its Record: prepare, decide, ask, run, record. The executor is what is live:
 * the way in for every door, and the runs that have not ended. To add a step, write it as a file of its own and name it on the page.
 */
export type { Offsets, OutputPiece, OutputReader, ReaderKind, RunOutput } from '../store/index.ts'
export type { CommandSettings } from './command.ts'
export type { CheckRequest } from './check-policy.ts'
export { baseEnvironment } from './environment.ts'
export { createExecutor, DURATION_BUCKETS } from './executor.ts'
export type { Executor, Tally } from './executor-verbs.ts'
export { realpathOrNull } from './lookups.ts'
export { createJudge } from './judge.ts'
export { createReach } from './reach.ts'
export { toReply } from './record.ts'
export { seenBy } from './seen-by.ts'
export type { OpenStdin } from './open-stdin.ts'
export type { Run, Watched } from './run.ts'
export { feedStdin, resizeTerminal, sendSignal, stdinOf } from './run-verbs.ts'
export type { Allowed, Moved, Transfer } from './transfer.ts'
export { eventsOf, notesOf, outputEvent, waitingNote } from './run-events.ts'
