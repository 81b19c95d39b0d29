/** Lines that the disk refused wait in memory, begin lines and the others up to this each. */
const MAX_WAITING_CHARS = 1_048_576
const RETRY_MS = 1000

export interface Refusals {
  /** why the disk did not take a line, and how many were given up since the start */
  onRefused(error: unknown, givenUp: number): void
  /** it takes them again, and has those that waited */
  onTakenAgain(): void
}

/** Lines on their way to the disk; what it refused is tried again before the next line, and every second. */
export class WaitingLines<Place> {
  readonly #begins: string[] = []
  readonly #others: string[] = []
  #isRefused = false
  #givenUp = 0
  #retry: NodeJS.Timeout | undefined

  /** `write` takes whole lines, all or none, and says where the last of them lies; it throws as fs does. */
  constructor(
    private readonly write: (lines: string[]) => Place,
    private readonly refusals: Refusals,
  ) {}

  /** Where the line lies; null: the disk refused. Begin lines go before all others. */
  append(line: string, isBegin: boolean): Place | null {
    const queue = isBegin ? this.#begins : this.#others
    queue.push(line)
    const [begin, other] = [this.#attempt(this.#begins), this.#attempt(this.#others)]
    return isBegin ? begin : other
  }

  /** Once more, and never again. */
  close(): void {
    this.#tryAgain()
    clearTimeout(this.#retry)
  }

  #tryAgain(): void {
    this.#retry = undefined
    this.#attempt(this.#begins)
    this.#attempt(this.#others)
  }

  #attempt(queue: string[]): Place | null {
    if (queue.length === 0) return null
    try {
      const place = this.write(queue)
      queue.length = 0
      if (this.#isRefused && this.#begins.length + this.#others.length === 0) this.#takenAgain()
      return place
    } catch (error) {
      this.#hold(queue)
      this.refusals.onRefused(error, this.#givenUp)
      return null
    }
  }

  #takenAgain(): void {
    this.#isRefused = false
    this.refusals.onTakenAgain()
  }

  #hold(queue: string[]): void {
    this.#isRefused = true
    this.#retry ??= setTimeout(() => this.#tryAgain(), RETRY_MS).unref()
    let chars = queue.reduce((sum, { length }) => sum + length, 0)
    for (; chars > MAX_WAITING_CHARS; this.#givenUp++) chars -= queue.pop()!.length
  }
}
