/** What setTimeout can count: 32 bits of milliseconds, 24.8 days; a longer time it takes for 1. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Calls `done` once after `ms`, however long that is; the returned function forgets it. */
export function startLongTimer(done: () => void, ms: number): () => void {
  let timer: NodeJS.Timeout
  function wait(leftMs: number): void {
    const nextMs = Math.min(leftMs, MAX_TIMER_MS)
    timer = setTimeout(() => (leftMs > nextMs ? wait(leftMs - nextMs) : done()), nextMs)
  }
  wait(ms)
  return () => clearTimeout(timer)
}
