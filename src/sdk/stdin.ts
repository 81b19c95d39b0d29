import type { PhoneError } from './phone-error.ts'
import { toFrame } from './frames.ts'
import type { SocketData } from './link.ts'

/** The maximum number of bytes in flight to the command; the service enforces the same limit. */
const WINDOW_BYTES = 1_048_576
const PIECE_BYTES = 65_536
/** The ref of the JSON messages about stdin. */
export const STDIN_REF = 'stdin'

/** Bytes that wait for the window, with the callbacks of their writer. */
interface Write {
  bytes: Uint8Array
  sent(): void
  refused(why: PhoneError): void
}

/** A command's stdin. Each byte has an offset, and stays in the buffer until the command's pipe has accepted it. */
export class Stdin {
  #waiting: Write[] = []
  #held: { offset: number; bytes: Uint8Array }[] = []
  #taken = 0
  #next: number
  /** whether the start offset is known; other clients may have written to stdin before */
  #isPlaced: boolean
  /** `ending`: the end of stdin waits for pending writes; `ended`: the end was sent */
  #state: 'open' | 'ending' | 'ended' = 'open'
  #closed: PhoneError | null = null
  #flushes: (() => void)[] = []

  /** `from`: the start offset; null: wait for the offset that the service reports. */
  constructor(
    readonly id: string,
    readonly send: (data: SocketData) => void,
    from: number | null,
  ) {
    this.#next = from ?? 0
    this.#isPlaced = from !== null
  }

  /** Sends the bytes after earlier writes, and resolves when all are sent; waits while the command does not read. Rejects with PhoneError once stdin is closed. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((sent, refused) => {
      if (this.#closed) return refused(this.#closed)
      this.#waiting.push({ bytes, sent, refused })
      this.#sendWhatFits()
    })
  }

  /** Resolves when the command has accepted every byte written so far, or when stdin is closed. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#flushes.push(resolve)
      this.#settleFlushes()
    })
  }

  #settleFlushes(): void {
    const isDone = this.#held.length + this.#waiting.length === 0
    if (isDone || this.#closed) for (const resolve of this.#flushes.splice(0)) resolve()
  }

  /** Closes stdin after the pending writes. */
  end(): void {
    if (this.#state === 'open') this.#state = 'ending'
    this.#sendWhatFits()
  }

  #sendWhatFits(): void {
    for (let [first] = this.#waiting; first; [first] = this.#waiting) {
      while (first.bytes.length > 0) {
        if (!this.#hasRoom) return
        this.#sendPiece(first.bytes.slice(0, PIECE_BYTES))
        first.bytes = first.bytes.subarray(PIECE_BYTES)
      }
      this.#waiting.shift()
      first.sent()
    }
    if (this.#state !== 'ending' || !this.#isPlaced || this.#closed) return
    this.#state = 'ended'
    this.send(this.#ending())
  }

  #sendPiece(bytes: Uint8Array): void {
    const piece = { offset: this.#next, bytes }
    this.#held.push(piece)
    this.#next += bytes.length
    this.send(toFrame(this.id, piece.offset, bytes))
  }

  get #hasRoom(): boolean {
    return this.#isPlaced && this.#next - this.#taken < WINDOW_BYTES
  }

  /** The command has accepted every byte before `offset`. */
  taken(offset: number): void {
    this.#taken = Math.max(this.#taken, offset)
    if (!this.#isPlaced) this.#next = offset
    this.#isPlaced = true
    const first = this.#held.findIndex((piece) => piece.offset + piece.bytes.length > this.#taken)
    this.#held.splice(0, first < 0 ? this.#held.length : first)
    this.#sendWhatFits()
    this.#settleFlushes()
  }

  /** The messages to send again on a new connection, because the old one may have lost them. */
  unacknowledged(): SocketData[] {
    const pieces = this.#held.map(({ offset, bytes }) => toFrame(this.id, offset, bytes))
    return this.#state === 'ended' ? [...pieces, this.#ending()] : pieces
  }

  /** Rejects pending and later writes, because the command no longer reads. */
  close(why: PhoneError): void {
    this.#closed ??= why
    this.#held = []
    for (const { refused } of this.#waiting.splice(0)) refused(this.#closed)
    this.#settleFlushes()
  }

  #ending = (): string => JSON.stringify({ type: 'stdin', ref: STDIN_REF, id: this.id, offset: this.#next, end: true })
}
