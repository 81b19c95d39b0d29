import type { CancelSignal } from '../schema/index.ts'

/** Why a run is ended by us, and the milliseconds that it has between SIGTERM and SIGKILL. */
export interface StopOrder {
  ending: 'timed_out' | 'canceled'
  graceMs: number
}

export interface Stop {
  /** resolves at the run's deadline or when it is cancelled, whichever comes first */
  readonly told: Promise<StopOrder>
  /** the run is over */
  clear(): void
}

interface StopRules {
  timeoutMs: number
  killGraceMs: number
  signal: CancelSignal
  /** the pool's own way to cancel; its reason is the grace in ms */
  closing: CancelSignal
}

/** What setTimeout can count: 32 bits of milliseconds, 24.8 days; a longer time it takes for 1. */
const MAX_TIMER_MS = 2 ** 31 - 1

export function createStop({ timeoutMs, killGraceMs, signal, closing }: StopRules): Stop {
  let tell!: (order: StopOrder) => void
  let timer: NodeJS.Timeout
  const told = new Promise<StopOrder>((resolve) => {
    tell = resolve
  })
  const wait = (leftMs: number) => {
    const nextMs = Math.min(leftMs, MAX_TIMER_MS)
    const timeOut = () => tell({ ending: 'timed_out', graceMs: killGraceMs })
    timer = setTimeout(() => (leftMs > nextMs ? wait(leftMs - nextMs) : timeOut()), nextMs)
  }
  const cancel = () => tell({ ending: 'canceled', graceMs: killGraceMs })
  const close = () => tell({ ending: 'canceled', graceMs: Number(closing.reason) })
  wait(timeoutMs)
  signal.addEventListener('abort', cancel)
  closing.addEventListener('abort', close)
  if (closing.aborted) close()
  if (signal.aborted) cancel()
  return {
    told,
    clear() {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      closing.removeEventListener('abort', close)
    },
  }
}
