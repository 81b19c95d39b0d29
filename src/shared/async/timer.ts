/** What setTimeout can count: 31 bits of milliseconds (24.8 days); a longer time it takes for 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Timer {
  /** `work` is not called any more. */
  stop(): void
  /** The process may exit before it is called. */
  unref(): Timer
}

/** Calls `work` once, after `ms` milliseconds, however many they are. */
export function startTimer(work: () => void, ms: number): Timer {
  let leftMs = ms
  let isRef = true
  let timer: NodeJS.Timeout
  const wait = () => {
    const partMs = Math.min(leftMs, MAX_TIMER_MS)
    leftMs -= partMs
    timer = setTimeout(leftMs > 0 ? wait : work, partMs)
    if (!isRef) timer.unref()
  }
  wait()
  const started: Timer = {
    stop: () => clearTimeout(timer),
    unref: () => {
      isRef = false
      timer.unref()
      return started
    },
  }
  return started
}
