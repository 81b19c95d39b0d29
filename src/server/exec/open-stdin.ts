import { Changing } from '../../shared/async/index.ts'
import { type Child, ShellphoneError } from '../../shared/schema/index.ts'

/** A piece may begin so far beyond what the command has taken; the rest is refused, so that a reader that does not read costs bounded memory. */
const WINDOW_BYTES = 1_048_576

export interface PieceOptions {
  /** of the first byte; default: behind all that came */
  offset?: number | undefined
  /** nothing comes behind it */
  end?: boolean | undefined
}

/** The stdin of a run that is fed while it runs: in the order of its bytes, however often a piece comes and by whichever connection. */
export class OpenStdin extends Changing {
  /** the command's pipe has the first so many bytes */
  taken = 0
  isEnded = false
  readonly #closed = new AbortController()
  /** aborts when no more will be taken: the run has ended */
  readonly closed = this.#closed.signal
  #came = 0
  #line: Promise<void> = Promise.resolve()

  /** `started`: resolves with what was started; throws CONFLICT where it has ended */
  constructor(
    private readonly runId: string,
    private readonly started: () => Promise<Child>,
  ) {
    super()
  }

  /**
   * Resolves when the command's pipe has all of it, with `taken`; bytes that came before are skipped. OUT_OF_RANGE for a gap; CONFLICT
   * beyond the window, behind the end, and where nobody reads any more.
   */
  async take(bytes: Buffer, { offset = this.#came, end = false }: PieceOptions): Promise<number> {
    this.#check(offset, bytes.length, end)
    const fresh = bytes.subarray(this.#came - offset)
    this.#came += fresh.length
    this.isEnded ||= end
    const before = offset + bytes.length - fresh.length
    const given = this.#line.then(() => this.#give(fresh, before, end))
    this.#line = given.catch(() => {})
    await given
    return this.taken
  }

  #check(offset: number, length: number, end: boolean): void {
    const next = offset + length
    if (offset > this.#came) {
      const message = `offset: expected at most ${this.#came}, behind what came, got ${offset}`
      throw new ShellphoneError('OUT_OF_RANGE', message, { field: 'offset' })
    }
    if (this.isEnded && next > this.#came) throw this.#conflict(`has closed its stdin at byte ${this.#came}`)
    if (end && next < this.#came)
      throw this.#conflict(`has received ${this.#came} bytes of stdin and cannot end it at ${next}`)
    if (length === 0 || offset - this.taken <= WINDOW_BYTES) return // an end costs nothing
    throw this.#conflict(`does not read its stdin: ${this.#came - this.taken} bytes wait already`)
  }

  /** `before`: so many bytes are in front of these */
  async #give(bytes: Buffer, before: number, end: boolean): Promise<void> {
    if (before > this.taken) throw this.#conflict('no longer reads its stdin') // they were refused
    if (bytes.length === 0 && this.closed.aborted) return // it has all, and needs no end
    const child = await this.started()
    const isTaken = bytes.length === 0 || (await child.write(bytes))
    if (end) child.endStdin()
    if (!isTaken) throw this.#conflict('no longer reads its stdin')
    this.taken += bytes.length
    this.wake()
  }

  #conflict(what: string): ShellphoneError {
    return new ShellphoneError('CONFLICT', `Run ${this.runId} ${what}`)
  }

  close(): void {
    this.#closed.abort()
    this.wake()
  }
}
