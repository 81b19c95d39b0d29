/**
 * exec: the verb. `execute` carries a Request to its Record: prepare, decide, ask, run, record. It alone knows the
 * order of the steps (carry.ts). To add a step, write it as a file of its own and name it there.
 */
export type { Offsets } from '../store/index.ts'
export type { CheckRequest } from './check-policy.ts'
export { createDesk, type Desk, type DeskParts, type DeskStats } from './desk.ts'
export type { DialectAnswer, DialectParts, DialectRun } from './dialect.ts'
export { baseEnvironment, type EnvironmentMode } from './environment.ts'
export { createJudge, type Judge } from './judge.ts'
export type { Boxes, PrepareSettings } from './prepare.ts'
export { realpathOrNull } from './realpath.ts'
export type { Run } from './run.ts'
export { toReply } from './to-record.ts'
export { eventsOf, type Watched } from './watch.ts'
