import { reasonOf } from './make-folder.ts'

/** Facts as fields, the sentence last; never output, never a token. */
export type Log = (fields: Record<string, unknown>, message: string) => void

export const DAMAGED_OUTPUTS = 'outputs are damaged'

/** What does not work or was lost, in plain words; the log hears of each once. */
export class Warnings {
  readonly #reasons = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  readonly #told = new Set<string>()

  constructor(private readonly log: Log) {}

  /** It does not work, and why. */
  set(what: string, error: unknown): void {
    const reason = reasonOf(error)
    if (this.#reasons.get(what) !== reason) this.log({ reason }, what)
    this.#reasons.set(what, reason)
  }

  /** It works again. */
  clear(what: string): void {
    this.#reasons.delete(what)
  }

  /** So many more were lost; with an id, once for each. */
  count(what: string, more: number, id?: string): void {
    const key = `${what} ${id}`
    if (more === 0 || (id !== undefined && this.#told.has(key))) return
    if (id !== undefined) this.#told.add(key)
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + more)
    this.log(id === undefined ? { count: more } : { id }, what)
  }

  list(): string[] {
    return [...this.#reasons, ...this.#counts].map(([what, why]) => `${what}: ${why}`)
  }
}
