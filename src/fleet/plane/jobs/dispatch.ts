import { setMaxListeners } from 'node:events'
import type { DeliveryParts } from './deliver-job.ts'
import { createDelivery } from './deliver.ts'

export interface Dispatch {
  /** Delivers the phone's pending jobs. */
  kick(name: string): void
  /** Call this when a cancellation was written to the phone's row of the job. Cancels the run now, or when the phone is online again. */
  cancel(name: string, job: string): void
  /** How many seconds the oldest job of an online phone has waited; 0 if no job waits. */
  lagSeconds(): number
  /** the number of commands that this plane has settled since its start, by state */
  counts(): Record<string, number>
  close(): Promise<void>
}

/** The interval between checks of all phones with jobs, in case a hello was missed. */
const SWEEP_MS = 5_000
/** The first delay before a phone that was away is tried again, unless it sends a hello. The delay doubles up to the maximum. */
const FIRST_PAUSE_MS = 4_000
const LAST_PAUSE_MS = 60_000

/** The delivery of one phone's jobs, one after the other. */
interface PhoneQueue {
  isBusy: boolean
  again: boolean
  pauseMs: number
  retryAt: number
}

/** Sends jobs to their phones in order. Several planes may send the same job, because with its key it runs only once. */
export function createDispatch(parts: DeliveryParts): Dispatch {
  const { index, phones, clock, link, log } = parts
  const queues = new Map<string, PhoneQueue>()
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // each phone adds a listener
  const counts: Record<string, number> = {}
  const onSettled = (state: string) => void (counts[state] = (counts[state] ?? 0) + 1)
  const delivery = createDelivery(parts, onSettled, stop.signal)
  const queueOf = (name: string) => {
    const queue = queues.get(name) ?? { isBusy: false, again: false, pauseMs: FIRST_PAUSE_MS, retryAt: 0 }
    queues.set(name, queue)
    return queue
  }
  /** Never rejects. */
  const deliverTo = async (name: string) => {
    const queue = queueOf(name)
    if (queue.isBusy) return void (queue.again = true)
    queue.isBusy = true
    do {
      queue.again = false
      const isAway = await delivery.deliver(name).catch((error: Error) => {
        log({ phone: name, reason: error.message }, 'a job could not be delivered')
        return true
      })
      queue.pauseMs = isAway ? Math.min(LAST_PAUSE_MS, queue.pauseMs * 2) : FIRST_PAUSE_MS
      queue.retryAt = performance.now() + queue.pauseMs
    } while (queue.again && !stop.signal.aborted)
    queue.isBusy = false
    if (index.of(name).length === 0) queues.delete(name)
  }
  const kick: Dispatch['kick'] = (name) => {
    if (stop.signal.aborted || !link.isUp() || index.of(name).length === 0) return
    queueOf(name).pauseMs = FIRST_PAUSE_MS
    void deliverTo(name)
  }
  const timer = setInterval(() => {
    if (!link.isUp()) return
    for (const name of index.phones()) if (performance.now() >= queueOf(name).retryAt) void deliverTo(name)
  }, SWEEP_MS).unref()
  index.onJob((job) => job.phones.forEach(kick))
  return {
    kick,
    cancel(name, job) {
      delivery.cancel(name, job)
      kick(name)
    },
    lagSeconds() {
      const waiting = index
        .phones()
        .flatMap((name) => (phones.find(name, [])?.online ? index.of(name).slice(0, 1) : []))
      const nowMs = clock.brokerNow()
      return (nowMs - Math.min(nowMs, ...waiting.map(({ submittedMs }) => submittedMs))) / 1000
    },
    counts: () => counts,
    async close() {
      clearInterval(timer)
      stop.abort()
    },
  }
}
