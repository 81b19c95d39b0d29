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

interface Waiter {
  settle: (got: boolean) => void
  refuse: (error: Error) => void
}

const maxRetryAfterSeconds = 60

/** Slots, given first come first served. */
export function createQueue({ maxRunning, maxQueued, maxQueueWaitMs }: QueueLimits) {
  const waiters: Waiter[] = []
  let taken = 0
  /** how long slots were held of late: a moving average */
  let usualMs = 1000

  function refusal(why: string) {
    const seconds = Math.ceil((usualMs * (waiters.length + 1)) / maxRunning / 1000)
    const retryAfterSeconds = Math.min(Math.max(seconds, 1), maxRetryAfterSeconds)
    return new ShellphoneError('POOL_FULL', why, { retryAfterSeconds })
  }
  function leave(waiter: Waiter) {
    const at = waiters.indexOf(waiter)
    if (at >= 0) waiters.splice(at, 1)
  }
  function wait(signal: CancelSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const clear = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        leave(waiter)
      }
      const waiter: Waiter = {
        settle: (got) => {
          clear()
          resolve(got)
        },
        refuse: (error) => {
          clear()
          reject(error)
        },
      }
      const cancel = () => waiter.settle(false)
      const giveUp = () => waiter.refuse(refusal(`No slot became free within ${maxQueueWaitMs} ms`))
      const timer = maxQueueWaitMs === null ? undefined : setTimeout(giveUp, maxQueueWaitMs)
      signal.addEventListener('abort', cancel)
      waiters.push(waiter)
    })
  }
  function checkRoom(): void {
    if (taken < maxRunning || waiters.length < maxQueued) return
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
      if (first) first.settle(true)
      else taken--
    },
    /** Everyone who waits leaves without a slot. */
    empty: () => {
      for (const waiter of [...waiters]) waiter.settle(false)
    },
    counts: () => ({ running: taken, queued: waiters.length }),
  }
}
