/**
 * exec: the verb. `execute` carries a Request to its Record: prepare, decide, ask, run, record. It alone knows the
 * order of the steps (carry.ts). To add a step, write it as a file of its own and name it there.
 */
export type { Offsets } from '../store/index.ts'
export { createDesk, type Desk, type DeskParts, type DeskStats } from './desk.ts'
export { baseEnvironment, type EnvironmentMode } from './environment.ts'
export type { PrepareSettings } from './prepare.ts'
export type { Run } from './run.ts'
export { eventsOf, type Watched } from './watch.ts'
