import type { Log } from './log.ts'

/** Who wants to hear of events; one that throws harms nobody. */
export const createListeners = <Event>(log: Log) => {
  const listeners = new Set<(event: Event) => void>()
  return {
    tell: (event: Event): void => {
      for (const listener of listeners) {
        try {
          listener(event)
        } catch (error) {
          log({ reason: String(error) }, 'a listener failed')
        }
      }
    },
    /** Tells every event until the returned function is called. */
    subscribe: (listener: (event: Event) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    count: () => listeners.size,
  }
}
