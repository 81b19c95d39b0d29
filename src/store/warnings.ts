import { reasonOf } from './folder.ts'
import type { Log } from './log.ts'

/** What does not work or was lost, in plain words; the log hears of each once. */
export interface Warnings {
  /** It does not work, and why. */
  set(what: string, error: unknown): void
  /** It works again. */
  clear(what: string): void
  /** So many more were lost; with an id, once for each. */
  count(what: string, more: number, id?: string): void
  list(): string[]
}

export const createWarnings = (log: Log): Warnings => {
  const reasons = new Map<string, string>()
  const counts = new Map<string, number>()
  const told = new Set<string>()

  const set = (what: string, error: unknown): void => {
    const reason = reasonOf(error)
    if (reasons.get(what) !== reason) log({ reason }, what)
    reasons.set(what, reason)
  }

  const count = (what: string, more: number, id?: string): void => {
    const key = `${what} ${id}`
    if (more === 0 || (id !== undefined && told.has(key))) return
    if (id !== undefined) told.add(key)
    counts.set(what, (counts.get(what) ?? 0) + more)
    log(id === undefined ? { count: more } : { id }, what)
  }

  return {
    set,
    clear: (what) => void reasons.delete(what),
    count,
    list: () => [
      ...[...reasons].map(([what, reason]) => `${what}: ${reason}`),
      ...[...counts].map(([what, number]) => `${what}: ${number}`),
    ],
  }
}
