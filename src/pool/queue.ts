import { type CancelSignal, ShellphoneError } from '../schema/index.ts'

/** The bounds of a queue for slots. */
export interface QueueLimits {
  /** slots */
  maxRunning: number
  /** who waits for one; more are refused */
  maxQueued: number
  /** who has waited so long is refused; null: whoever is let in waits as long as it takes */
  maxQueueWaitMs: number | null
}

/** true: a slot; false: it left by itself; an error: it is refused. */
type Settle = (got: boolean | ShellphoneError) => void

const maxRetryAfterSeconds = 60

/** Slots, given first come first served. */
export function createQueue({ maxRunning, maxQueued, maxQueueWaitMs }: QueueLimits) {
  const waiters = new Set<Settle>()
  let taken = 0
  /** how long slots were held of late: a moving average */
  let usualMs = 1000

  function refusal(why: string) {
    const seconds = Math.ceil((usualMs * (waiters.size + 1)) / maxRunning / 1000)
    const retryAfterSeconds = Math.min(Math.max(seconds, 1), maxRetryAfterSeconds)
    return new ShellphoneError('POOL_FULL', why, { retryAfterSeconds })
  }
  function wait(signal: CancelSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const settle: Settle = (got) => {
        waiters.delete(settle)
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        if (got instanceof ShellphoneError) reject(got)
        else resolve(got)
      }
      const cancel = () => settle(false)
      const giveUp = () => settle(refusal(`No slot became free within ${maxQueueWaitMs} ms`))
      const timer = maxQueueWaitMs === null ? undefined : setTimeout(giveUp, maxQueueWaitMs)
      signal.addEventListener('abort', cancel)
      waiters.add(settle)
    })
  }
  function checkRoom(): void {
    if (taken < maxRunning || waiters.size < maxQueued) return
    throw refusal(`${maxRunning} commands are running and ${maxQueued} are waiting`)
  }
  return {
    /** Throws POOL_FULL where the next one would have to be refused. */
    checkRoom,
    /** true: a slot was got, and must be given back. false: `signal` came first. Throws POOL_FULL past the bounds. */
    take: async (signal: CancelSignal): Promise<boolean> => {
      if (signal.aborted) return false
      if (taken === maxRunning) {
        if (maxQueueWaitMs !== null) checkRoom()
        return wait(signal)
      }
      taken++
      return true
    },
    /** Gives a slot back that was held for `heldMs`: to the first who waits. */
    giveBack: (heldMs: number) => {
      usualMs += (heldMs - usualMs) / 8
      const [first] = waiters
      if (first) first(true)
      else taken--
    },
    /** Everyone who waits leaves without a slot. */
    empty: () => {
      for (const settle of waiters) settle(false)
    },
    counts: () => ({ running: taken, queued: waiters.size }),
  }
}
