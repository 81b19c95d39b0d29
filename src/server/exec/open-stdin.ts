import { ChangeNotifier } from '../../shared/async/index.ts'
import { type Child, ShellphoneError } from '../../shared/schema/index.ts'

/** A piece may begin at most this far beyond the bytes that the command has read, so that memory stays bounded. */
const WINDOW_BYTES = 1_048_576

export interface PieceOptions {
  /** the offset of the first byte; default: after all bytes received so far */
  offset?: number | undefined
  /** whether this piece is the last */
  end?: boolean | undefined
}

/** The stdin of a run that receives input while it runs. Bytes stay in order even if pieces repeat or use several connections. */
export class OpenStdin extends ChangeNotifier {
  /** the number of bytes that the command's pipe has taken */
  taken = 0
  isEnded = false
  readonly #closed = new AbortController()
  /** aborts when the run has ended and accepts no more input */
  readonly closed = this.#closed.signal
  #came = 0
  #line: Promise<void> = Promise.resolve()

  /** `started`: resolves with the started process; throws CONFLICT if the run has ended */
  constructor(
    private readonly runId: string,
    private readonly started: () => Promise<Child>,
  ) {
    super()
  }

  /**
   * Writes a piece, and skips bytes that were already received. Resolves with `taken` when the command's pipe has taken the whole piece.
   * Throws OUT_OF_RANGE for a gap, and CONFLICT beyond the window, after the end, and if nobody reads stdin any more.
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
      const message = `offset: expected at most ${this.#came}, the end of the bytes received, got ${offset}`
      throw new ShellphoneError('OUT_OF_RANGE', message, { field: 'offset' })
    }
    if (this.isEnded && next > this.#came) throw this.#conflict(`has closed its stdin at byte ${this.#came}`)
    if (end && next < this.#came)
      throw this.#conflict(`has received ${this.#came} bytes of stdin and cannot end it at ${next}`)
    if (length === 0 || offset - this.taken <= WINDOW_BYTES) return // the end of stdin takes no memory
    throw this.#conflict(`is not reading its stdin: ${this.#came - this.taken} bytes are already waiting`)
  }

  /** `before`: the number of bytes before this piece */
  async #give(bytes: Buffer, before: number, end: boolean): Promise<void> {
    if (before > this.taken) throw this.#conflict('no longer reads its stdin') // the earlier bytes were refused
    if (bytes.length === 0 && this.closed.aborted) return // the run has ended, so its stdin needs no end
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
