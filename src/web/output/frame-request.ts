import { HIDDEN_MS } from './output-limits.ts'

/** Calls `draw` in the next animation frame. A hidden page gets none; there a timer calls it. */
export function createFrameRequest(draw: () => void) {
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    request(): void {
      if (timer !== undefined) return
      frame = requestAnimationFrame(draw)
      timer = setTimeout(draw, HIDDEN_MS)
    },
    cancel(): void {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      timer = undefined
    },
  }
}
