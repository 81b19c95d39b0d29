import { execFile } from 'node:child_process'
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Both ends of one pipe, close-on-exec, as descriptors. */
export interface OpenFifo {
  readFd: number
  writeFd: number
  /** The pipe is done with. `isClean`: its end was read, so nobody holds it and its name can serve again. */
  release(isClean: boolean): void
}

/** Real pipes: Node gives its children sockets instead, on which `/dev/stdout` and `/dev/stderr` cannot be opened. */
export interface Fifos {
  /** null where no named pipes can be made (no `mkfifo`, a file system without). Throws where descriptors have run out. */
  open(count: number): Promise<OpenFifo[] | null>
  /** Removes the folder. */
  close(): void
}

const BATCH = 32
const MKFIFO_TIMEOUT_MS = 5000

/** `folder`: emptied and made anew, mode 0700. Without one, a fresh one in the system's temporary folder. */
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

/** Makes named pipes, many at a time, and uses them again. One failure to make them decides for all time. */
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
      forget() // somebody has emptied the temporary folder (Termux does): make another
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
