import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and its missing parents, all with this mode. Throws as fs does. Node's own option `recursive` never returns in a directory
 * such as /proc, which refuses new entries with ENOENT although it exists.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (isDirectory(path)) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || isDirectory(parent)) throw error
    makeDirectory(parent, mode)
    makeDirectory(path, mode)
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
