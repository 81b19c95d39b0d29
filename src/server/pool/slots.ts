import type { Clock } from '../../shared/async/index.ts'
import { mayHold, mayTake, type Sharer, ShellphoneError } from '../../shared/schema/index.ts'
import type { PoolLimits } from './job.ts'

/** A job that waits for a slot. `settle` receives true: it has one; false: it was cancelled; an error: it is refused. */
interface Waiter {
  sharer: Sharer
  settle(got: boolean | ShellphoneError): void
}

const MAX_RETRY_AFTER_SECONDS = 60

/**
 * Creates the slots of a pool. The last free one is reserved for the owner or a token that holds none. Waiting is limited in number and time,
 * and each token has its share of both. A free slot goes to the token that holds the fewest slots, then to the job that waited longest.
 */
export function createSlots({ maxRunning, maxQueued, maxQueueWaitMs }: PoolLimits, clock: Clock) {
  const waiters = new Set<Waiter>()
  const held = new Map<Sharer, number>()
  let [taken, averageHeldMs] = [0, 1000] // a moving average of how long slots are held
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
    throw refusal(`${taken} commands are running and ${waiters.size} are waiting${whose}`)
  }
  return {
    isFreeFor,
    checkRoom,
    /** Resolves true with a slot, which must be given back; false if `signal` aborted first. Throws POOL_FULL beyond the limits. */
    async take(sharer: Sharer, signal: AbortSignal): Promise<boolean> {
      if (signal.aborted) return false
      if (!isFreeFor(sharer)) {
        if (maxQueueWaitMs !== null) checkRoom(sharer)
        return waitForSlot(waiters, { sharer, signal, maxQueueWaitMs, refusal, clock })
      }
      hold(sharer, 1)
      return true
    },
    /** Gives back a slot that was held for `heldMs`; the next waiting job takes it. */
    giveBack(sharer: Sharer, heldMs: number) {
      averageHeldMs += (heldMs - averageHeldMs) / 8
      hold(sharer, -1)
      const waiter = pickNext(waiters, isFreeFor, heldBy)
      if (waiter) {
        hold(waiter.sharer, 1)
        waiter.settle(true)
      } else if (taken === 0) emptied?.()
    },
    /** Every waiting job leaves without a slot; resolves when none is held. */
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
  /** null: forever */
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

/** Of the jobs that may have a slot, the first whose token holds the fewest. */
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
