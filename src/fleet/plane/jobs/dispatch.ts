import { setMaxListeners } from 'node:events'
import type { DeliveryParts } from './deliver-job.ts'
import { createDelivery } from './deliver.ts'

export interface Dispatch {
  /** There may be something to do for that phone. */
  kick(name: string): void
  /** The row of that phone says that the job is canceled: it is ended there now, or when the phone is back. */
  cancel(name: string, job: string): void
  /** Seconds that the oldest job waits for a phone that is online; 0: none does. */
  lagSeconds(): number
  /** what this plane has settled since it began, by its state */
  counts(): Record<string, number>
  close(): Promise<void>
}

/** How often it is looked for what nobody has said anything of. */
const SWEEP_MS = 5_000
/** A phone that was not there is tried again after so long, doubling, unless it says hello. */
const FIRST_PAUSE_MS = 4_000
const LAST_PAUSE_MS = 60_000

/** One phone's work: one job after the other. */
interface PhoneQueue {
  isBusy: boolean
  again: boolean
  pauseMs: number
  retryAt: number
}

/** Sends jobs to their phones, in their order; any number of planes may do the same, for the phone's keys let each run once. */
export function createDispatch(parts: DeliveryParts): Dispatch {
  const { index, phones, clock, link, log } = parts
  const lines = new Map<string, PhoneQueue>()
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // each phone's wait is one
  const counts: Record<string, number> = {}
  const onSettled = (state: string) => void (counts[state] = (counts[state] ?? 0) + 1)
  const delivery = createDelivery(parts, onSettled, stop.signal)
  const lineOf = (name: string) => {
    const line = lines.get(name) ?? { isBusy: false, again: false, pauseMs: FIRST_PAUSE_MS, retryAt: 0 }
    lines.set(name, line)
    return line
  }
  /** Never rejects. */
  const work = async (name: string) => {
    const line = lineOf(name)
    if (line.isBusy) return void (line.again = true)
    line.isBusy = true
    do {
      line.again = false
      const isAway = await delivery.deliver(name).catch((error: Error) => {
        log({ phone: name, reason: error.message }, 'a job could not be handed over')
        return true
      })
      line.pauseMs = isAway ? Math.min(LAST_PAUSE_MS, line.pauseMs * 2) : FIRST_PAUSE_MS
      line.retryAt = performance.now() + line.pauseMs
    } while (line.again && !stop.signal.aborted)
    line.isBusy = false
    if (index.of(name).length === 0) lines.delete(name)
  }
  const kick: Dispatch['kick'] = (name) => {
    if (stop.signal.aborted || !link.isUp() || index.of(name).length === 0) return
    lineOf(name).pauseMs = FIRST_PAUSE_MS
    void work(name)
  }
  const timer = setInterval(() => {
    if (!link.isUp()) return
    for (const name of index.phones()) if (performance.now() >= lineOf(name).retryAt) void work(name)
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
      const oldest = Math.min(clock.brokerNow(), ...waiting.map(({ submittedMs }) => submittedMs))
      return Math.max(0, clock.brokerNow() - oldest) / 1000
    },
    counts: () => counts,
    async close() {
      clearInterval(timer)
      stop.abort()
    },
  }
}
