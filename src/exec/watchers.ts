import type { Registry } from '../schema/index.ts'
import type { Run } from './run.ts'

export type RunListener = (run: Run) => void

/** Who wants to hear of every run. */
export interface Watchers {
  /** Calls with every run that has not ended, and with each that begins; what comes back ends that. */
  watch(listener: RunListener): () => void
  /** one more has begun */
  tell(run: Run): void
}

export function createWatchers(live: Registry<string, Run>): Watchers {
  const listeners = new Set<RunListener>()
  return {
    watch(listener) {
      listeners.add(listener)
      for (const run of live.values()) if (run.taken.length > 0) listener(run)
      return () => void listeners.delete(listener)
    },
    tell(run) {
      for (const listener of listeners) listener(run)
    },
  }
}
