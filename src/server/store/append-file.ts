import fs, { fdatasync } from 'node:fs'

const NEWLINE = 10

/** A file of lines that is only ever appended to (0600). Every verb throws as fs does. */
export class AppendFile {
  readonly #descriptor: number
  /** bytes in it */
  size: number
  /** does it end in the midst of a line? */
  #isTorn: boolean
  #flushing = 0
  #isClosed = false

  constructor(path: string) {
    this.#descriptor = fs.openSync(path, 'a+', 0o600)
    this.size = this.#measure()
    const last = Buffer.alloc(1)
    if (this.size > 0) fs.readSync(this.#descriptor, last, 0, 1, this.size - 1)
    this.#isTorn = this.size > 0 && last[0] !== NEWLINE
  }

  // as fs gives a size, it is an object of its own in every place that is counted from it
  #measure(): number {
    return Math.floor(fs.fstatSync(this.#descriptor).size)
  }

  /** somebody deleted it under us */
  isGone(): boolean {
    return fs.fstatSync(this.#descriptor).nlink === 0
  }

  /** Writes all of the lines or none; gives back where they begin. */
  append(lines: Buffer): number {
    // a torn line (a crash, a full disk) is closed, and given up
    const bytes = this.#isTorn ? Buffer.concat([Buffer.from([NEWLINE]), lines]) : lines
    try {
      for (let done = 0; done < bytes.length;) done += fs.writeSync(this.#descriptor, bytes, done)
    } catch (error) {
      this.#undo()
      throw error
    }
    this.#isTorn = false
    this.size += bytes.length
    return this.size - lines.length
  }

  /** Takes back what a refused write left; what cannot be taken back is a torn line. */
  #undo(): void {
    try {
      fs.ftruncateSync(this.#descriptor, this.size)
    } catch {
      this.#isTorn = true
      this.size = this.#measure()
    }
  }

  /** Resolves when all that was appended is on the disk itself. */
  flush(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#flushing++
      fdatasync(this.#descriptor, (error) => {
        this.#flushing--
        this.#closeWhenFlushed()
        if (error) reject(error)
        else resolve()
      })
    })
  }

  close(): void {
    this.#isClosed = true
    this.#closeWhenFlushed()
  }

  #closeWhenFlushed(): void {
    if (this.#isClosed && this.#flushing === 0) fs.closeSync(this.#descriptor)
  }
}

/** Lines that the disk refused wait in memory, up to this. */
const MAX_WAITING_CHARS = 2_097_152
const RETRY_MS = 1000

export interface Refusals {
  /** why the disk did not take a line, and how many were given up since the start */
  onRefused(error: unknown, givenUp: number): void
  /** it takes them again, and has those that waited */
  onTakenAgain(): void
}

interface WaitingLine<Place> {
  line: string
  onWritten: (place: Place) => void
}

/** Lines that the disk refused: they are tried again before the next line, and every second. */
export class WaitingLines<Place> {
  /** begin lines, then all others */
  readonly lines: WaitingLine<Place>[] = []
  #begins = 0
  #givenUp = 0
  #retry: NodeJS.Timeout | undefined

  /** `write` takes a whole line or nothing, and says where it lies; it throws as fs does. */
  constructor(
    private readonly write: (line: string) => Place,
    private readonly refusals: Refusals,
  ) {}

  /** Tries all lines; `onWritten` reports where this one lies, now or later. Begin lines go before all others. */
  append(line: string, isBegin: boolean, onWritten: (place: Place) => void): void {
    this.lines.splice(isBegin ? this.#begins++ : this.lines.length, 0, { line, onWritten })
    this.#writeAll()
  }

  /** Once more, and never again. */
  close(): void {
    this.#writeAll()
    clearTimeout(this.#retry)
  }

  #writeAll(): void {
    try {
      while (this.lines.length > 0) {
        const { line, onWritten } = this.lines[0]!
        const place = this.write(line)
        this.lines.shift()
        this.#begins = Math.max(0, this.#begins - 1)
        onWritten(place)
      }
      this.refusals.onTakenAgain()
    } catch (error) {
      this.#hold(error)
    }
  }

  #hold(error: unknown): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined
      this.#writeAll()
    }, RETRY_MS).unref()
    let chars = this.lines.reduce((sum, { line }) => sum + line.length, 0)
    for (; chars > MAX_WAITING_CHARS; this.#givenUp++) chars -= this.lines.pop()!.line.length
    this.#begins = Math.min(this.#begins, this.lines.length)
    this.refusals.onRefused(error, this.#givenUp)
  }
}
