import { setMaxListeners } from 'node:events'
import { awakeClock, type Clock } from '../../shared/async/index.ts'
import { note, type Sharer, ShellphoneError, type Spawner } from '../../shared/schema/index.ts'
import { type Job, notStarted, type Outcome, type PoolLimits, type Sink } from './job.ts'
import { type RunRules, run } from './run-job.ts'
import { createSlots } from './slots.ts'

export interface Pool {
  /** Runs one command. Throws POOL_FULL beyond the queue's limits, and NOT_STARTED if the system refuses to start the command. */
  run(job: Job, sink: Sink): Promise<Outcome>
  /** Returns whether the next command of this sharer would start at once. */
  isFreeFor(sharer: Sharer): boolean
  /** Throws POOL_FULL if the pool would refuse this sharer's next command. */
  checkRoom(sharer: Sharer): void
  /** returns counts: `running` and `queued` now, `accepted` and `refused` since the start */
  stats(): { running: number; queued: number; accepted: number; refused: number }
  /** Refuses new jobs, cancels queued ones and kills running ones (SIGTERM, and SIGKILL after `graceMs`). Resolves when nothing runs. */
  close(graceMs: number): Promise<void>
}

/** Creates a pool that runs at most `maxRunning` commands at once through `spawner`. Further commands wait in a queue. */
export function createPool(limits: PoolLimits, spawner: Spawner, clock: Clock = awakeClock): Pool {
  const slots = createSlots(limits, clock)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // each job adds a listener
  const rules: RunRules = { ...limits, spawner, closing: closing.signal, clock }
  let [accepted, refused] = [0, 0]
  return {
    async run(job, sink) {
      if (closing.signal.aborted)
        throw new ShellphoneError('POOL_FULL', 'The service is stopping', { retryAfterSeconds: 5 })
      accepted++
      const queuedAt = clock.now()
      let startedAt: number | null = null
      try {
        const gotSlot = await slots.take(job.sharer, job.signal)
        const queuedMs = clock.now() - queuedAt
        if (!gotSlot) return notStarted('canceled', queuedMs, [note('CANCELED_BEFORE_START')])
        startedAt = queuedAt + queuedMs
        if (job.mayStart?.() === false) return notStarted('denied', queuedMs)
        return await run(job, sink, queuedMs, rules)
      } catch (error) {
        accepted--
        refused++
        throw error
      } finally {
        if (startedAt !== null) slots.giveBack(job.sharer, clock.now() - startedAt)
      }
    },
    isFreeFor: slots.isFreeFor,
    checkRoom: slots.checkRoom,
    stats: () => ({ ...slots.counts(), accepted, refused }),
    close(graceMs) {
      closing.abort(graceMs)
      return slots.close()
    },
  }
}
