import fs, { fdatasync } from 'node:fs'

const NEWLINE = 10

/** An append-only file of lines (0600). Every method throws as fs does. */
export class AppendFile {
  readonly #descriptor: number
  /** bytes in the file */
  size: number
  /** whether the file ends inside a line */
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

  // without Math.floor, every offset computed from the size that fs reports would be a heap object
  #measure(): number {
    return Math.floor(fs.fstatSync(this.#descriptor).size)
  }

  /** whether the file has been deleted while open */
  isGone(): boolean {
    return fs.fstatSync(this.#descriptor).nlink === 0
  }

  /** Writes all of the lines or none; returns the offset at which they start. */
  append(lines: Buffer): number {
    // end the torn line that a crash or a full disk has left; its content is lost
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

  /** Removes what a failed write left; if that fails too, a torn line remains. */
  #undo(): void {
    try {
      fs.ftruncateSync(this.#descriptor, this.size)
    } catch {
      this.#isTorn = true
      this.size = this.#measure()
    }
  }

  /** Resolves when everything appended is flushed to disk. */
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

/** Limit, in characters, on the lines that wait in memory because the disk refused them. */
const MAX_WAITING_CHARS = 2_097_152
const RETRY_MS = 1000

export interface Refusals {
  /** the disk refused a line: the reason, and the number of lines dropped since the start */
  onRefused(error: unknown, dropped: number): void
  /** the disk accepts lines again, and all waiting lines are written */
  onRecovered(): void
}

interface QueuedLine<Address> {
  line: string
  onWritten: (address: Address) => void
}

/** Lines that the disk refused. The queue retries them before the next line and every second. */
export class LineQueue<Address> {
  /** begin lines, then all others */
  readonly lines: QueuedLine<Address>[] = []
  #begins = 0
  #dropped = 0
  #retry: NodeJS.Timeout | undefined

  /** `write` writes a whole line or nothing and returns its address; it throws as fs does. */
  constructor(
    private readonly write: (line: string) => Address,
    private readonly refusals: Refusals,
  ) {}

  /** Tries to write all lines; `onWritten` reports the address of this one, now or later. Begin lines precede all others. */
  append(line: string, isBegin: boolean, onWritten: (address: Address) => void): void {
    this.lines.splice(isBegin ? this.#begins++ : this.lines.length, 0, { line, onWritten })
    this.#writeAll()
  }

  /** Tries one last time to write all lines. */
  close(): void {
    this.#writeAll()
    clearTimeout(this.#retry)
  }

  #writeAll(): void {
    try {
      while (this.lines.length > 0) {
        const { line, onWritten } = this.lines[0]!
        const address = this.write(line)
        this.lines.shift()
        this.#begins = Math.max(0, this.#begins - 1)
        onWritten(address)
      }
      this.refusals.onRecovered()
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
    for (; chars > MAX_WAITING_CHARS; this.#dropped++) chars -= this.lines.pop()!.line.length
    this.#begins = Math.min(this.#begins, this.lines.length)
    this.refusals.onRefused(error, this.#dropped)
  }
}
