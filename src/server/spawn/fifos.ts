import { execFile } from 'node:child_process'
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Both ends of one pipe, close-on-exec, as descriptors. */
export interface OpenFifo {
  readFd: number
  writeFd: number
  /** Call when the pipe is no longer needed. `isClean`: EOF was read, so no process has it open and its name can be reused. */
  release(isClean: boolean): void
}

/** Named pipes for output. By default Node gives its children sockets, which they cannot open as `/dev/stdout` and `/dev/stderr`. */
export interface Fifos {
  /** Resolves to null if named pipes cannot be made (no `mkfifo`, or no support in the file system). Rejects when no descriptors are left. */
  open(count: number): Promise<OpenFifo[] | null>
  /** Removes the directory. */
  close(): void
}

const BATCH = 32
const MKFIFO_TIMEOUT_MS = 5000

/** `folder`: removed and recreated with mode 0700 (default: a new one in the system's temporary directory). */
function makeFolder(folder: string | undefined): string {
  if (folder === undefined) return mkdtempSync(join(tmpdir(), 'shellphone-pipes-'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

function openBoth(path: string, release: OpenFifo['release']): OpenFifo {
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { readFd, writeFd: openSync(path, constants.O_WRONLY), release }
  } catch (error) {
    closeSync(readFd)
    throw error
  }
}

export function closeFifo(fifo: OpenFifo) {
  closeSync(fifo.readFd)
  closeSync(fifo.writeFd)
  fifo.release(false)
}

/** Makes named pipes in batches and reuses them. After one failed `mkfifo` it never tries again. */
export function createFifos(folder?: string): Fifos {
  let made: string | undefined
  let counter = 0
  let free: string[] = []
  let filling: Promise<boolean> | null = null

  async function fill(): Promise<boolean> {
    try {
      if (made === undefined) {
        made = makeFolder(folder)
        process.once('exit', forget)
      }
      const paths = Array.from({ length: BATCH }, () => join(made!, String(++counter)))
      await promisify(execFile)('mkfifo', ['-m', '600', ...paths], { timeout: MKFIFO_TIMEOUT_MS })
      free.push(...paths)
      filling = null
      return true
    } catch {
      return false
    }
  }
  function give(path: string, isClean: boolean) {
    if (isClean && free.length < 2 * BATCH) free.push(path)
    else rmSync(path, { force: true })
  }
  function openFree(count: number): OpenFifo[] {
    const opened: OpenFifo[] = []
    try {
      for (const path of free.splice(0, count)) opened.push(openBoth(path, (isClean) => give(path, isClean)))
      return opened
    } catch (error) {
      opened.forEach(closeFifo)
      throw error
    }
  }
  async function open(count: number): Promise<OpenFifo[] | null> {
    while (free.length < count) {
      filling ??= fill()
      if (!(await filling)) return null
    }
    try {
      return openFree(count)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      forget() // something emptied the temporary directory (Termux does this): make another
      return open(count)
    }
  }
  function forget() {
    if (made !== undefined) rmSync(made, { recursive: true, force: true })
    process.off('exit', forget)
    made = undefined
    free = []
  }
  return { open, close: forget }
}
