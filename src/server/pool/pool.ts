import { setMaxListeners } from 'node:events'
import { awakeClock, type Clock } from '../../shared/async/index.ts'
import { note, type Sharer, ShellphoneError, type Spawner } from '../../shared/schema/index.ts'
import { type Job, notStarted, type Outcome, type PoolLimits, type Sink } from './job.ts'
import { type RunRules, run } from './run-job.ts'
import { createSlots } from './slots.ts'

export interface Pool {
  /** One command from the queue to its end. Throws POOL_FULL past the queue's bounds, NOT_STARTED where the system refuses to start it. */
  run(job: Job, sink: Sink): Promise<Outcome>
  /** Whether the next command of this sharer would start at once. */
  isFreeFor(sharer: Sharer): boolean
  /** Throws POOL_FULL where the next command of this sharer would have to be refused. */
  checkRoom(sharer: Sharer): void
  /** now: slots taken and who waits; since the start: commands taken on and refused */
  stats(): { running: number; queued: number; accepted: number; refused: number }
  /** Refuses new work, cancels what waits, ends what runs (SIGTERM, `graceMs` later SIGKILL); resolves when nothing runs. */
  close(graceMs: number): Promise<void>
}

/** At most `maxRunning` commands at once, the others in a queue, through whatever spawner it is handed. */
export function createPool(limits: PoolLimits, spawner: Spawner, clock: Clock = awakeClock): Pool {
  const slots = createSlots(limits, clock)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // each job listens
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
