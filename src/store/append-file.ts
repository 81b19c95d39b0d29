import fs, { fdatasync } from 'node:fs'

const NEWLINE = 10

/** A file of lines that is only ever appended to (0600). Every verb throws as fs does. */
export interface AppendFile {
  size(): number
  /** somebody deleted it under us */
  isGone(): boolean
  /** Writes all of the lines or none; gives back where they begin. */
  append(lines: Buffer): number
  /** Resolves when all that was appended is on the disk itself. */
  flush(): Promise<void>
  close(): void
}

const endsOpen = (descriptor: number, size: number): boolean => {
  const last = Buffer.alloc(1)
  return size > 0 && fs.readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE
}

const writeAll = (descriptor: number, bytes: Buffer): void => {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(descriptor, bytes, done)
}

/** Takes back what a refused write left; false: it stays there, as a torn line. */
const undo = (descriptor: number, size: number): boolean => {
  try {
    fs.ftruncateSync(descriptor, size)
    return true
  } catch {
    return false
  }
}

export const openAppendFile = (path: string): AppendFile => {
  const descriptor = fs.openSync(path, 'a+', 0o600)
  let size = fs.fstatSync(descriptor).size
  let torn = endsOpen(descriptor, size)
  let flushing = 0
  let isClosed = false

  const closeWhenFlushed = (): void => {
    if (isClosed && flushing === 0) fs.closeSync(descriptor)
  }

  return {
    size: () => size,
    isGone: () => fs.fstatSync(descriptor).nlink === 0,
    append: (lines) => {
      // a torn line (a crash, a full disk) is closed, and given up
      const bytes = torn ? Buffer.concat([Buffer.from([NEWLINE]), lines]) : lines
      try {
        writeAll(descriptor, bytes)
      } catch (error) {
        torn = !undo(descriptor, size) || torn
        if (torn) size = fs.fstatSync(descriptor).size
        throw error
      }
      torn = false
      size += bytes.length
      return size - lines.length
    },
    flush: () =>
      new Promise((resolve, reject) => {
        flushing++
        fdatasync(descriptor, (error) => {
          flushing--
          closeWhenFlushed()
          if (error) reject(error)
          else resolve()
        })
      }),
    close: () => {
      isClosed = true
      closeWhenFlushed()
    },
  }
}
