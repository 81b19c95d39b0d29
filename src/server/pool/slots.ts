import type { Clock } from '../../shared/async/index.ts'
import { mayHold, mayTake, type Sharer, ShellphoneError } from '../../shared/schema/index.ts'
import type { PoolLimits } from './job.ts'

/** A job that waits for a slot. `settle` receives true for a slot, false if the job was canceled, or an error if it is refused. */
interface Waiter {
  sharer: Sharer
  settle(got: boolean | ShellphoneError): void
}

const MAX_RETRY_AFTER_SECONDS = 60

/**
 * Creates the slots of a pool. The last free slot is reserved for the owner or for a token that holds no slot. The number of waiting jobs
 * and their waiting time are limited, and each token has a share of the queue. A free slot goes to the token that holds the fewest slots,
 * and among its jobs to the one that has waited longest.
 */
export function createSlots({ maxRunning, maxQueued, maxQueueWaitMs }: PoolLimits, clock: Clock) {
  const waiters = new Set<Waiter>()
  const held = new Map<Sharer, number>()
  let [taken, averageHeldMs] = [0, 1000] // moving average of the time for which jobs hold slots
  let emptied: (() => void) | null = null

  const heldBy = (sharer: Sharer) => held.get(sharer) ?? 0
  const isFreeFor = (sharer: Sharer) => mayHold(sharer, { own: heldBy(sharer), taken, most: maxRunning })
  function hold(sharer: Sharer, change: 1 | -1): void {
    taken += change
    const count = heldBy(sharer) + change
    if (count > 0) held.set(sharer, count)
    else held.delete(sharer)
  }
  function refusal(reason: string) {
    const seconds = Math.ceil((averageHeldMs * (waiters.size + 1)) / maxRunning / 1000)
    const retryAfterSeconds = Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS)
    return new ShellphoneError('POOL_FULL', reason, { retryAfterSeconds })
  }
  function checkRoom(sharer: Sharer): void {
    if (isFreeFor(sharer)) return
    const own = [...waiters].filter((waiter) => waiter.sharer === sharer).length
    if (mayTake(sharer, { own, taken: waiters.size, most: maxQueued })) return
    const whose = waiters.size < maxQueued ? `, ${own} of them this token's, which is its share` : ''
    throw refusal(`The queue is full: running: ${taken}, waiting: ${waiters.size}${whose}; retry later`)
  }
  return {
    isFreeFor,
    checkRoom,
    /** Resolves with true when the job has a slot, or with false if `signal` aborts first. Throws POOL_FULL beyond the limits. */
    async take(sharer: Sharer, signal: AbortSignal): Promise<boolean> {
      if (signal.aborted) return false
      if (!isFreeFor(sharer)) {
        if (maxQueueWaitMs !== null) checkRoom(sharer)
        return waitForSlot(waiters, { sharer, signal, maxQueueWaitMs, refusal, clock })
      }
      hold(sharer, 1)
      return true
    },
    /** Gives back a slot that was held for `heldMs`. The next waiting job takes it. */
    giveBack(sharer: Sharer, heldMs: number) {
      averageHeldMs += (heldMs - averageHeldMs) / 8
      hold(sharer, -1)
      const waiter = pickNext(waiters, isFreeFor, heldBy)
      if (waiter) {
        hold(waiter.sharer, 1)
        waiter.settle(true)
      } else if (taken === 0) emptied?.()
    },
    /** Makes every waiting job leave without a slot. Resolves when no slot is held. */
    close(): Promise<void> {
      for (const waiter of waiters) waiter.settle(false)
      return new Promise((resolve) => {
        emptied = resolve
        if (taken === 0) resolve()
      })
    },
    counts: () => ({ running: taken, queued: waiters.size }),
  }
}

interface WaitOptions {
  sharer: Sharer
  signal: AbortSignal
  /** null: no limit */
  maxQueueWaitMs: number | null
  refusal(reason: string): ShellphoneError
  clock: Clock
}

/** Waits for a slot until `signal` aborts. Throws POOL_FULL after `maxQueueWaitMs`. */
function waitForSlot(
  waiters: Set<Waiter>,
  { sharer, signal, maxQueueWaitMs, refusal, clock }: WaitOptions,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const settle: Waiter['settle'] = (got) => {
      waiters.delete(waiter)
      timer?.stop()
      signal.removeEventListener('abort', cancel)
      if (got instanceof ShellphoneError) reject(got)
      else resolve(got)
    }
    const waiter = { sharer, settle }
    const cancel = () => settle(false)
    const timeOut = () => settle(refusal(`No slot became free within ${maxQueueWaitMs} ms`))
    const timer = maxQueueWaitMs === null ? undefined : clock.startTimer(timeOut, maxQueueWaitMs)
    signal.addEventListener('abort', cancel)
    waiters.add(waiter)
  })
}

/** Returns the first of the eligible jobs whose token holds the fewest slots. */
function pickNext(
  waiters: Set<Waiter>,
  isFreeFor: (sharer: Sharer) => boolean,
  heldBy: (sharer: Sharer) => number,
): Waiter | undefined {
  const eligible = [...waiters].filter(({ sharer }) => isFreeFor(sharer))
  let best: Waiter | undefined
  for (const waiter of eligible) if (!best || heldBy(waiter.sharer) < heldBy(best.sharer)) best = waiter
  return best
}
