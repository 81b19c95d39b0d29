/**
 * pool: runs jobs through the spawner it is handed, bounded in number, time and output. It decides nothing about what may run.
 *
 *     pool.ts                a slot, or POOL_FULL
 *        run-job.ts          start → feed stdin → exited, or stopped by deadline or cancel → drain → leave nothing behind → Outcome
 *          ├ collected-output.ts  each chunk to its collector (head, tail, counts) and to the sink, with flow control; the drain
 *          └ notes.ts        what an Outcome says in plain words
 *
 * To report one more thing of a run, add it to `Outcome` (job.ts) and set it in run-job.ts. A second spawner joins the list in test/server/pool/pool.test.ts.
 */
export { type Job, notStarted, type Outcome, type PoolLimits, type Sink } from './job.ts'
export { countNewlines } from './collected-output.ts'
export { createPool, type Pool } from './pool.ts'
