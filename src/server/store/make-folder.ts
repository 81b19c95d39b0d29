import fs from 'node:fs'

/** Creates a folder that only its owner can enter (0700), or restricts an existing one. Throws as fs does. */
export function makeFolder(directory: string): void {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  if ((fs.statSync(directory).mode & 0o077) !== 0) fs.chmodSync(directory, 0o700)
}

/** Flushes a folder's entries to disk; does nothing on file systems that do not support this. */
export function flushFolder(directory: string): void {
  try {
    const descriptor = fs.openSync(directory, 'r')
    fs.fsyncSync(descriptor)
    fs.closeSync(descriptor)
  } catch {
    /* the entry itself has been written */
  }
}

/** Reads at most `length` bytes of a file from `offset` on. Throws as fs does. */
export function readBytes(file: string, offset: number, length: number): Buffer {
  const descriptor = fs.openSync(file, 'r')
  try {
    const target = Buffer.alloc(length)
    return target.subarray(0, fs.readSync(descriptor, target, 0, length, offset))
  } finally {
    fs.closeSync(descriptor)
  }
}

/** A short reason for a person: `ENOSPC: no space left on device`, without paths. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.split(', ')[0]! : String(error)

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException)?.code === 'ENOENT'

export const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException)?.code === 'ENOSPC'
