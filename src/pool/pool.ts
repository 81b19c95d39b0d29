import { CancelController, type CancelSignal, ShellphoneError, type Spawner, startTimer } from '../schema/index.ts'
import { type Job, notStarted, type Outcome, type PoolLimits, type Sink } from './job.ts'
import { type RunRules, run } from './run.ts'

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
  const slots = createSlots(limits)
  const closing = new CancelController()
  const rules: RunRules = { ...limits, spawner, closing: closing.signal }
  let [accepted, refused] = [0, 0]
  return {
    async run(job, sink) {
      if (closing.aborted) throw new ShellphoneError('POOL_FULL', 'The service is stopping', { retryAfterSeconds: 5 })
      accepted++
      const queuedAt = performance.now()
      let startedAt: number | null = null
      try {
        const gotSlot = await slots.take(job.signal)
        const queuedMs = performance.now() - queuedAt
        if (!gotSlot) return notStarted('canceled', queuedMs, ['canceled before it was started'])
        startedAt = queuedAt + queuedMs
        return await run(job, sink, queuedMs, rules)
      } catch (error) {
        accepted--
        refused++
        throw error
      } finally {
        if (startedAt !== null) slots.giveBack(performance.now() - startedAt)
      }
    },
    checkRoom: slots.checkRoom,
    stats: () => ({ ...slots.counts(), accepted, refused }),
    close(graceMs) {
      closing.abort(graceMs)
      return slots.close()
    },
  }
}

/** true: a slot; false: it left by itself; an error: it is refused. */
type Settle = (got: boolean | ShellphoneError) => void

const MAX_RETRY_AFTER_SECONDS = 60

/** Slots, given first come first served; who waits is bounded in number and time. */
function createSlots({ maxRunning, maxQueued, maxQueueWaitMs }: PoolLimits) {
  const waiters = new Set<Settle>()
  let [taken, usualMs] = [0, 1000] // how long slots were held of late: a moving average
  let emptied: (() => void) | null = null

  function refusal(why: string) {
    const seconds = Math.ceil((usualMs * (waiters.size + 1)) / maxRunning / 1000)
    const retryAfterSeconds = Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS)
    return new ShellphoneError('POOL_FULL', why, { retryAfterSeconds })
  }
  function wait(signal: CancelSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const settle: Settle = (got) => {
        waiters.delete(settle)
        timer?.stop()
        signal.removeEventListener('abort', cancel)
        if (got instanceof ShellphoneError) reject(got)
        else resolve(got)
      }
      const cancel = () => settle(false)
      const giveUp = () => settle(refusal(`No slot became free within ${maxQueueWaitMs} ms`))
      const timer = maxQueueWaitMs === null ? undefined : startTimer(giveUp, maxQueueWaitMs)
      signal.addEventListener('abort', cancel)
      waiters.add(settle)
    })
  }
  function checkRoom(): void {
    if (taken < maxRunning || waiters.size < maxQueued) return
    throw refusal(`${maxRunning} commands are running and ${maxQueued} are waiting`)
  }
  return {
    checkRoom,
    /** true: a slot was got, and must be given back. false: `signal` came first. Throws POOL_FULL past the bounds. */
    async take(signal: CancelSignal): Promise<boolean> {
      if (signal.aborted) return false
      if (taken === maxRunning) {
        if (maxQueueWaitMs !== null) checkRoom()
        return wait(signal)
      }
      taken++
      return true
    },
    /** Gives a slot back that was held for `heldMs`: to the first who waits. */
    giveBack(heldMs: number) {
      usualMs += (heldMs - usualMs) / 8
      const [first] = waiters
      if (first) first(true)
      else if (--taken === 0) emptied?.()
    },
    /** Everyone who waits leaves without a slot; resolves when none is held. */
    close(): Promise<void> {
      for (const settle of waiters) settle(false)
      return new Promise((resolve) => {
        emptied = resolve
        if (taken === 0) resolve()
      })
    },
    counts: () => ({ running: taken, queued: waiters.size }),
  }
}
