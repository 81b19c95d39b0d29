/**
 * pool: runs jobs through a spawner and limits their number, time and output. It does not decide what may run.
 *
 *     pool.ts                assigns a slot, or throws POOL_FULL
 *        run-job.ts          start → feed stdin → exit, or stop at the deadline or a cancel → drain → end background processes → Outcome
 *          ├ collected-output.ts  passes each chunk to its collector (head, tail, counts) and to the sink, with flow control; drains pipes
 *          └ notes.ts        creates the notes of an Outcome
 *
 * README.md says how to report another fact about a run. Add a new spawner to `bothSpawners` in test/support/spawn/harness.ts.
 */
export { type Job, notStarted, type Outcome, type PoolLimits, type Sink } from './job.ts'
export { countNewlines } from './collected-output.ts'
export { createPool, type Pool } from './pool.ts'
