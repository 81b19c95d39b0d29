import { reasonOf } from './folder.ts'
import type { Log } from './log.ts'

/** What does not work, and why, in plain words; the log hears of each once. */
export interface Warnings {
  set(what: string, error: unknown): void
  clear(what: string): void
  list(): string[]
}

export const createWarnings = (log: Log): Warnings => {
  const reasons = new Map<string, string>()
  return {
    set: (what, error) => {
      const reason = reasonOf(error)
      if (reasons.get(what) !== reason) log({ reason }, what)
      reasons.set(what, reason)
    },
    clear: (what) => void reasons.delete(what),
    list: () => [...reasons].map(([what, reason]) => `${what}: ${reason}`),
  }
}
