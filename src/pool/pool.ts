import { CancelController, Registry, ShellphoneError, type Spawner } from '../schema/index.ts'
import { type Job, notStarted, type Outcome, type Sink } from './job.ts'
import { createQueue, type QueueLimits } from './queue.ts'
import { type RunRules, run } from './run.ts'

/** Everything that bounds a pool. Milliseconds. */
export interface PoolLimits extends QueueLimits {
  /** between SIGTERM and SIGKILL at the deadline and at a cancel */
  killGraceMs: number
  /** what becomes of processes that a command leaves running */
  backgroundProcesses: 'end' | 'keep'
  /** how long output is read on after the shell has exited, where something holds the pipes open */
  drainMs: number
  /** between SIGTERM and SIGKILL for what was left behind */
  leftBehindGraceMs: number
  /** process.platform, for the notes */
  platform: string
}

export interface Pool {
  /** One command from the queue to its end. Throws POOL_FULL past the queue's bounds, EXECUTION_ERROR where the system refuses to start it. */
  run(job: Job, sink: Sink): Promise<Outcome>
  /** Throws POOL_FULL where the next command would have to be refused. */
  checkRoom(): void
  /** now: slots taken and who waits; since the start: commands taken on and refused */
  stats(): { running: number; queued: number; accepted: number; refused: number }
  /** Refuses new work, cancels what waits, ends what runs (SIGTERM, `graceMs` later SIGKILL); resolves when nothing runs. */
  close(graceMs: number): Promise<void>
}

/** At most `maxRunning` commands at once, the others in a queue, through whatever spawner it is handed. */
export function createPool(limits: PoolLimits, spawner: Spawner): Pool {
  const queue = createQueue(limits)
  const active = new Registry<object, Promise<Outcome>>()
  const closing = new CancelController()
  const rules: RunRules = { ...limits, spawner, closing: closing.signal }
  let accepted = 0
  let refused = 0

  async function runInSlot(job: Job, sink: Sink): Promise<Outcome> {
    const queuedAt = performance.now()
    const gotSlot = await queue.take(job.signal)
    const startedAt = performance.now()
    const queuedMs = startedAt - queuedAt
    if (!gotSlot) return notStarted('canceled', queuedMs, ['canceled before it was started'])
    try {
      return await run(job, sink, queuedMs, rules)
    } finally {
      queue.giveBack(performance.now() - startedAt)
    }
  }
  return {
    run: async (job, sink) => {
      if (closing.signal.aborted) {
        throw new ShellphoneError('POOL_FULL', 'The service is stopping', { retryAfterSeconds: 5 })
      }
      const going = runInSlot(job, sink)
      active.set(going, going)
      accepted++
      try {
        return await going
      } catch (error) {
        refused++
        accepted--
        throw error
      } finally {
        active.delete(going)
      }
    },
    checkRoom: queue.checkRoom,
    stats: () => ({ ...queue.counts(), accepted, refused }),
    close: async (graceMs) => {
      closing.abort(graceMs)
      queue.empty()
      await Promise.allSettled(active.values())
    },
  }
}
