import { reasonOf } from './make-folder.ts'

/** Facts as fields, the sentence last; never output, never a token. */
export type Log = (fields: Record<string, unknown>, message: string) => void

/** What can be wrong with what is stored, as people read it. */
const warningTexts = {
  NOT_WRITTEN: 'history is not written',
  GIVEN_UP: 'records are given up, and will be gone after a restart',
  MEMORY_ALONE: 'history and output are kept in memory alone',
  KEY_REFUSED: 'a key cannot be kept',
  NOT_READ: 'history cannot be read',
  NOT_FORGOTTEN: 'old history is not forgotten',
  CUT_OFF_UNCHECKED: 'output that was cut off cannot be checked',
  DAMAGED_LINES: 'lines of history are damaged',
  MISSING_LINES: 'lines of history are missing',
  MISSING_SEGMENTS: 'segments of history are missing',
  DAMAGED_OUTPUTS: 'outputs are damaged',
  MISSING_OUTPUTS: 'outputs are missing',
}
type Code = keyof typeof warningTexts

/** What does not work or was lost, in plain words; the log hears of each once. */
export class Warnings {
  readonly #reasons = new Map<Code, string>()
  readonly #counts = new Map<Code, number>()
  readonly #told = new Set<string>()

  constructor(private readonly log: Log) {}

  /** It does not work, and why. */
  set(code: Code, error: unknown): void {
    const reason = reasonOf(error)
    if (this.#reasons.get(code) !== reason) this.log({ reason }, warningTexts[code])
    this.#reasons.set(code, reason)
  }

  /** It works again. */
  clear(code: Code): void {
    this.#reasons.delete(code)
  }

  /** So many more were lost; with an id, once for each. */
  count(code: Code, more: number, id?: string): void {
    const key = `${code} ${id}`
    if (more === 0 || (id !== undefined && this.#told.has(key))) return
    if (id !== undefined) this.#told.add(key)
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + more)
    this.log(id === undefined ? { count: more } : { id }, warningTexts[code])
  }

  list(): string[] {
    return [...this.#reasons, ...this.#counts].map(([code, why]) => `${warningTexts[code]}: ${why}`)
  }
}
