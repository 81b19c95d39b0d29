import { Session } from 'node:inspector'

/** Quiet for so long after work, and after so many runs since the last time: fewer leave little behind. */
const QUIET_MS = 10_000
const MIN_RUNS = 500

export interface IdleMemory {
  /** a run has ended */
  note(): void
}

/**
 * Gives memory back when there is quiet after work: V8 itself collects when it needs room, which on an idle phone is never. It takes a
 * tenth of a second of nobody's time, once; nothing wakes for it after that.
 */
export function createIdleMemory(collect = collectGarbage): IdleMemory {
  let runs = 0
  let timer: NodeJS.Timeout | null = null
  const rest = () => {
    runs = 0
    collect()
  }
  return {
    note() {
      if (++runs >= MIN_RUNS) timer = timer?.refresh() ?? setTimeout(rest, QUIET_MS).unref()
    },
  }
}

/** Everything that can go goes, as when memory is low (V8's LowMemoryNotification). */
function collectGarbage(): void {
  const session = new Session()
  session.connect()
  session.post('HeapProfiler.collectGarbage', () => session.disconnect())
}
