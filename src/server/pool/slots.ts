import type { Clock } from '../../shared/async/index.ts'
import { mayHold, mayTake, type Sharer, ShellphoneError } from '../../shared/schema/index.ts'
import type { PoolLimits } from './job.ts'

/** Who waits for a slot. `settle`: true: it has one; false: it left by itself; an error: it is refused. */
interface Waiter {
  sharer: Sharer
  settle(got: boolean | ShellphoneError): void
}

const MAX_RETRY_AFTER_SECONDS = 60

/**
 * Slots. The last free one is for the owner, or for a token that holds none. Who waits is bounded in number and time, each token in its
 * share of both: a free slot goes to the token that holds the fewest, and among those to the first that came.
 */
export function createSlots({ maxRunning, maxQueued, maxQueueWaitMs }: PoolLimits, clock: Clock) {
  const waiters = new Set<Waiter>()
  const held = new Map<Sharer, number>()
  let [taken, usualMs] = [0, 1000] // how long slots were held of late: a moving average
  let emptied: (() => void) | null = null

  const heldBy = (sharer: Sharer) => held.get(sharer) ?? 0
  const isFreeFor = (sharer: Sharer) => mayHold(sharer, { own: heldBy(sharer), taken, most: maxRunning })
  function hold(sharer: Sharer, change: 1 | -1): void {
    taken += change
    const count = heldBy(sharer) + change
    if (count > 0) held.set(sharer, count)
    else held.delete(sharer)
  }
  function refusal(why: string) {
    const seconds = Math.ceil((usualMs * (waiters.size + 1)) / maxRunning / 1000)
    const retryAfterSeconds = Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS)
    return new ShellphoneError('POOL_FULL', why, { retryAfterSeconds })
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
    /** true: a slot was got, and must be given back. false: `signal` came first. Throws POOL_FULL past the bounds. */
    async take(sharer: Sharer, signal: AbortSignal): Promise<boolean> {
      if (signal.aborted) return false
      if (!isFreeFor(sharer)) {
        if (maxQueueWaitMs !== null) checkRoom(sharer)
        return wait(waiters, { sharer, signal, maxQueueWaitMs, refusal, clock })
      }
      hold(sharer, 1)
      return true
    },
    /** Gives a slot back that was held for `heldMs`, to the next who waits. */
    giveBack(sharer: Sharer, heldMs: number) {
      usualMs += (heldMs - usualMs) / 8
      hold(sharer, -1)
      const waiter = next(waiters, isFreeFor, heldBy)
      if (waiter) {
        hold(waiter.sharer, 1)
        waiter.settle(true)
      } else if (taken === 0) emptied?.()
    },
    /** Everyone who waits leaves without a slot; resolves when none is held. */
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

interface Wait {
  sharer: Sharer
  signal: AbortSignal
  /** null: for ever */
  maxQueueWaitMs: number | null
  refusal(why: string): ShellphoneError
  clock: Clock
}

/** Waits among the others for a slot, until `signal`, or until it has waited too long: throws POOL_FULL. */
function wait(waiters: Set<Waiter>, { sharer, signal, maxQueueWaitMs, refusal, clock }: Wait): Promise<boolean> {
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
    const giveUp = () => settle(refusal(`No slot became free within ${maxQueueWaitMs} ms`))
    const timer = maxQueueWaitMs === null ? undefined : clock.startTimer(giveUp, maxQueueWaitMs)
    signal.addEventListener('abort', cancel)
    waiters.add(waiter)
  })
}

/** The first, of those for whom a slot is free, that hold the fewest. */
function next(
  waiters: Set<Waiter>,
  isFreeFor: (sharer: Sharer) => boolean,
  heldBy: (sharer: Sharer) => number,
): Waiter | undefined {
  const mayGo = [...waiters].filter(({ sharer }) => isFreeFor(sharer))
  let best: Waiter | undefined
  for (const one of mayGo) if (!best || heldBy(one.sharer) < heldBy(best.sharer)) best = one
  return best
}
