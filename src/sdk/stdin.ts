import type { PhoneError } from './phone-error.ts'
import { toFrame } from './frames.ts'
import type { SocketData } from './link.ts'

/** Not more than this is on its way to the command; the service takes no more either. */
const WINDOW_BYTES = 1_048_576
const PIECE_BYTES = 65_536
/** The ref of what is said of stdin in words. */
export const STDIN_REF = 'stdin'

/** Bytes that wait for room, and whoever waits for them to be sent. */
interface Write {
  bytes: Uint8Array
  sent(): void
  refused(why: PhoneError): void
}

/** What is fed to a command: each byte has its offset, and is kept until the command's pipe has taken it. */
export class Stdin {
  #waiting: Write[] = []
  #held: { offset: number; bytes: Uint8Array }[] = []
  #taken = 0
  #next: number
  /** whether it is known what others have fed */
  #isPlaced: boolean
  /** `open`; `ending`: the end waits behind the writes; `ended`: it was sent */
  #state: 'open' | 'ending' | 'ended' = 'open'
  #closed: PhoneError | null = null

  /** `from`: where it begins; null: behind what the service says that it has taken. */
  constructor(
    readonly id: string,
    readonly send: (data: SocketData) => void,
    from: number | null,
  ) {
    this.#next = from ?? 0
    this.#isPlaced = from !== null
  }

  /** Resolves when all of it is on its way, behind earlier writes; waits for the command to read. Throws PhoneError once it does no longer. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((sent, refused) => {
      if (this.#closed) return refused(this.#closed)
      this.#waiting.push({ bytes, sent, refused })
      this.#sendWhatFits()
    })
  }

  /** There is no more behind what was written. */
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

  /** The command has taken all before `offset`. */
  taken(offset: number): void {
    this.#taken = Math.max(this.#taken, offset)
    if (!this.#isPlaced) this.#next = offset
    this.#isPlaced = true
    const first = this.#held.findIndex((piece) => piece.offset + piece.bytes.length > this.#taken)
    this.#held.splice(0, first < 0 ? this.#held.length : first)
    this.#sendWhatFits()
  }

  /** What a new connection must be told: all that may have been lost with the old one. */
  again(): SocketData[] {
    const pieces = this.#held.map(({ offset, bytes }) => toFrame(this.id, offset, bytes))
    return this.#state === 'ended' ? [...pieces, this.#ending()] : pieces
  }

  /** Nothing is read any more. */
  close(why: PhoneError): void {
    this.#closed ??= why
    this.#held = []
    for (const { refused } of this.#waiting.splice(0)) refused(this.#closed)
  }

  #ending = (): string => JSON.stringify({ type: 'stdin', ref: STDIN_REF, id: this.id, offset: this.#next, end: true })
}
