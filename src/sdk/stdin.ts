import type { PhoneError } from './errors.ts'
import { toFrame } from './frames.ts'
import type { Sent } from './link.ts'

/** Not more than this is on its way to the command; the service takes no more either. */
const WINDOW_BYTES = 1_048_576
const PIECE_BYTES = 65_536
/** The ref of what is said of stdin in words. */
export const STDIN_REF = 'stdin'

/** What is fed to a command: each byte has its offset, and is kept until the command's pipe has taken it. */
export class Stdin {
  #held: { offset: number; bytes: Uint8Array }[] = []
  #next = 0
  #taken = 0
  #isEnded = false
  #closed: PhoneError | null = null
  #wakes: (() => void)[] = []

  constructor(
    readonly id: string,
    readonly send: (data: Sent) => void,
  ) {}

  /** Resolves when all of it is on its way; waits for the command to read. Throws PhoneError once it does no longer. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      while (this.#next - this.#taken >= WINDOW_BYTES && !this.#closed) await this.#change()
      if (this.#closed) throw this.#closed
      const piece = { offset: this.#next, bytes: bytes.slice(at, at + PIECE_BYTES) }
      this.#held.push(piece)
      this.#next += piece.bytes.length
      this.send(toFrame(this.id, piece.offset, piece.bytes))
    }
  }

  /** There is no more. */
  end(): void {
    this.#isEnded = true
    this.send(this.#ending())
  }

  /** The command has taken all before `offset`. */
  taken(offset: number): void {
    this.#taken = Math.max(this.#taken, offset)
    const first = this.#held.findIndex((piece) => piece.offset + piece.bytes.length > this.#taken)
    this.#held.splice(0, first < 0 ? this.#held.length : first)
    this.#wake()
  }

  /** What a new connection must be told: all that may have been lost with the old one. */
  again(): Sent[] {
    const pieces = this.#held.map(({ offset, bytes }) => toFrame(this.id, offset, bytes))
    return this.#isEnded ? [...pieces, this.#ending()] : pieces
  }

  /** Nothing is read any more. */
  close(why: PhoneError): void {
    this.#closed ??= why
    this.#held = []
    this.#wake()
  }

  #ending = (): string => JSON.stringify({ type: 'stdin', ref: STDIN_REF, id: this.id, offset: this.#next, end: true })

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wakes.push(resolve))
  }

  #wake(): void {
    for (const wake of this.#wakes.splice(0)) wake()
  }
}
