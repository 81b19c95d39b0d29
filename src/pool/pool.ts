import { Registry, ShellphoneError, type Spawner } from '../schema/index.ts'
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
  /** now: slots taken and who waits; since the start: commands taken on and refused */
  stats(): { running: number; queued: number; accepted: number; refused: number }
  /** Refuses new work, cancels what waits, ends what runs (SIGTERM, `graceMs` later SIGKILL); resolves when nothing runs. */
  close(graceMs: number): Promise<void>
}

/** At most `maxRunning` commands at once, the others in a queue, through whatever spawner it is handed. */
export function createPool(limits: PoolLimits, spawner: Spawner): Pool {
  const queue = createQueue(limits)
  const cancels = new Registry<object, (graceMs: number) => void>()
  const active = new Registry<object, Promise<Outcome>>()
  let closingGraceMs: number | null = null
  let accepted = 0
  let refused = 0
  const rules: RunRules = {
    ...limits,
    spawner,
    onClose: (cancel) => {
      const key = {}
      cancels.set(key, cancel)
      if (closingGraceMs !== null) cancel(closingGraceMs)
      return () => cancels.delete(key)
    },
  }

  async function carry(job: Job, sink: Sink): Promise<Outcome> {
    const queuedAt = performance.now()
    const gotSlot = await queue.take(job.signal)
    const startedAt = performance.now()
    if (!gotSlot) return notStarted('canceled', startedAt - queuedAt, ['canceled before it was started'])
    try {
      return await run(job, sink, startedAt - queuedAt, rules)
    } finally {
      queue.giveBack(performance.now() - startedAt)
    }
  }
  async function runCounted(job: Job, sink: Sink): Promise<Outcome> {
    const going = carry(job, sink)
    const key = {}
    active.set(key, going)
    accepted++
    try {
      return await going
    } catch (error) {
      refused++
      accepted--
      throw error
    } finally {
      active.delete(key)
    }
  }
  return {
    run: async (job, sink) => {
      if (closingGraceMs === null) return runCounted(job, sink)
      throw new ShellphoneError('POOL_FULL', 'The service is stopping', { retryAfterSeconds: 5 })
    },
    stats: () => ({ ...queue.counts(), accepted, refused }),
    close: async (graceMs) => {
      closingGraceMs = graceMs
      queue.empty()
      for (const cancel of cancels.values()) cancel(graceMs)
      await Promise.allSettled(active.values())
    },
  }
}
