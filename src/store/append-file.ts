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
    this.size = fs.fstatSync(this.#descriptor).size
    const last = Buffer.alloc(1)
    if (this.size > 0) fs.readSync(this.#descriptor, last, 0, 1, this.size - 1)
    this.#isTorn = this.size > 0 && last[0] !== NEWLINE
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
      this.size = fs.fstatSync(this.#descriptor).size
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
