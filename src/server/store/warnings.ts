import { reasonOf } from './make-folder.ts'

/** Takes facts as fields and a message; never logs output or tokens. */
export type Log = (fields: Record<string, unknown>, message: string) => void

/** The message for each problem with stored data. */
const warningTexts = {
  NOT_WRITTEN: 'history cannot be written',
  GIVEN_UP: 'records could not be written and will be lost after a restart',
  MEMORY_ALONE: 'history and output are stored only in memory',
  KEY_REFUSED: 'an Idempotency-Key cannot be stored',
  NOT_READ: 'history cannot be read',
  NOT_FORGOTTEN: 'old history cannot be removed',
  CUT_OFF_UNCHECKED: 'the output of interrupted runs cannot be verified',
  DAMAGED_LINES: 'lines of history are damaged',
  MISSING_LINES: 'lines of history are missing',
  MISSING_SEGMENTS: 'segments of history are missing',
  DAMAGED_OUTPUTS: 'outputs are damaged',
  MISSING_OUTPUTS: 'outputs are missing',
}
type Code = keyof typeof warningTexts

/** Problems with stored data, in plain words; each is logged once. */
export class Warnings {
  readonly #reasons = new Map<Code, string>()
  readonly #counts = new Map<Code, number>()
  readonly #counted = new Set<string>()

  constructor(private readonly log: Log) {}

  /** Sets a problem that persists, with its cause. */
  set(code: Code, error: unknown): void {
    const reason = reasonOf(error)
    if (this.#reasons.get(code) !== reason) this.log({ reason }, warningTexts[code])
    this.#reasons.set(code, reason)
  }

  /** Clears a problem that no longer exists. */
  clear(code: Code): void {
    this.#reasons.delete(code)
  }

  /** Adds `more` to the number of losses; with an id, each id counts once. */
  count(code: Code, more: number, id?: string): void {
    const key = `${code} ${id}`
    if (more === 0 || (id !== undefined && this.#counted.has(key))) return
    if (id !== undefined) this.#counted.add(key)
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + more)
    this.log(id === undefined ? { count: more } : { id }, warningTexts[code])
  }

  list(): string[] {
    return [...this.#reasons, ...this.#counts].map(([code, why]) => `${warningTexts[code]}: ${why}`)
  }
}
