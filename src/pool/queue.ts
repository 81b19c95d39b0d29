import { type CancelSignal, ShellphoneError } from '../schema/index.ts'

/** The bounds of a queue for slots. */
export interface QueueLimits {
  /** slots */
  maxRunning: number
  /** who waits for one; more are refused */
  maxQueued: number
  /** who has waited so long is refused */
  maxQueueWaitMs: number
}

interface Waiter {
  settle: (got: boolean) => void
}

const maxRetryAfterSeconds = 60

/** Stands in the list until it is settled or refused; then true: a slot was got, false: `signal` came first. */
function wait(waiters: Waiter[], signal: CancelSignal, maxMs: number, refusal: () => Error): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const clear = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      waiters.splice(waiters.indexOf(waiter), 1)
    }
    const waiter: Waiter = {
      settle: (got) => {
        clear()
        resolve(got)
      },
    }
    const cancel = () => waiter.settle(false)
    const giveUp = () => {
      clear()
      reject(refusal())
    }
    const timer = setTimeout(giveUp, maxMs)
    signal.addEventListener('abort', cancel)
    waiters.push(waiter)
  })
}

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
  return {
    /** true: a slot was got, and must be given back. false: `signal` came first. Throws POOL_FULL past the bounds. */
    take: async (signal: CancelSignal): Promise<boolean> => {
      if (signal.aborted) return false
      if (taken === maxRunning) {
        if (waiters.length >= maxQueued) {
          throw refusal(`${maxRunning} commands are running and ${maxQueued} are waiting`)
        }
        const late = () => refusal(`No slot became free within ${maxQueueWaitMs} ms`)
        return wait(waiters, signal, maxQueueWaitMs, late)
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
