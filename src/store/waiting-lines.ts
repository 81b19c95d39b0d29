/** Lines that the disk refused wait in memory, up to this. */
const MAX_WAITING_CHARS = 2_097_152
const RETRY_MS = 1000

export interface Refusals {
  /** why the disk did not take a line, and how many were given up since the start */
  onRefused(error: unknown, givenUp: number): void
  /** it takes them again, and has those that waited */
  onTakenAgain(): void
}

/** Lines on their way to the disk; what it refused is tried again before the next line, and every second. */
export class WaitingLines<Place> {
  /** begin lines, then all others */
  readonly #lines: string[] = []
  #begins = 0
  #isRefused = false
  #givenUp = 0
  #retry: NodeJS.Timeout | undefined

  /** `write` takes a whole line or nothing, and says where it lies; it throws as fs does. */
  constructor(
    private readonly write: (line: string) => Place,
    private readonly refusals: Refusals,
  ) {}

  /** Where the line lies; null: the disk refused. Begin lines go before all others. */
  append(line: string, isBegin: boolean): Place | null {
    this.#lines.splice(isBegin ? this.#begins++ : this.#lines.length, 0, line)
    return this.#writeAll(line)
  }

  /** Once more, and never again. */
  close(): void {
    this.#writeAll()
    clearTimeout(this.#retry)
  }

  #writeAll(wanted?: string): Place | null {
    let found: Place | null = null
    try {
      while (this.#lines.length > 0) {
        const place = this.write(this.#lines[0]!)
        if (this.#lines.shift() === wanted) found = place
        this.#begins = Math.max(0, this.#begins - 1)
      }
      if (this.#isRefused) this.refusals.onTakenAgain()
      this.#isRefused = false
    } catch (error) {
      this.#hold()
      this.refusals.onRefused(error, this.#givenUp)
    }
    return found
  }

  #hold(): void {
    this.#isRefused = true
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined
      this.#writeAll()
    }, RETRY_MS).unref()
    let chars = this.#lines.reduce((sum, { length }) => sum + length, 0)
    for (; chars > MAX_WAITING_CHARS; this.#givenUp++) chars -= this.#lines.pop()!.length
    this.#begins = Math.min(this.#begins, this.#lines.length)
  }
}
