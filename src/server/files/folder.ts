import { closeSync, constants, existsSync, fsync, openSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { conflict } from './file-errors.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** Where Linux shows the open files of this process: a path below one starts there, whatever is renamed or linked meanwhile. */
const OPEN_FILES = '/proc/self/fd'
/** A laptop that runs `shellphone cp` may have none: there its paths are walked anew. */
const areShown = existsSync(OPEN_FILES)

/** A directory that is held open, so that names in it are its own. */
export interface Folder {
  readonly path: string
  at(name: string): string
  /** names that were made or taken away are on the disk */
  flush(): Promise<void>
  close(): void
}

/** Opens the directory that is at `path` without any link on the way. Throws CONFLICT where another has come there meanwhile. */
export function openFolder(path: string): Folder {
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    checkPlace(descriptor, path)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  return held(descriptor, path)
}

/** A directory within an open one; a link is none. */
export function openWithin(parent: Folder, name: string): Folder {
  const descriptor = openSync(parent.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return held(descriptor, join(parent.path, name))
}

/** Is what was opened what was judged? A link may have come into the way since. Throws CONFLICT. */
export function checkPlace(descriptor: number, path: string): void {
  if (areShown && readlinkSync(`${OPEN_FILES}/${descriptor}`) !== path) {
    throw conflict(`it was moved or replaced meanwhile: ${path}`)
  }
}

const held = (descriptor: number, path: string): Folder => ({
  path,
  at: (name) => `${areShown ? `${OPEN_FILES}/${descriptor}` : path}/${name}`,
  // some file systems do not flush directories: there is nothing to do then
  flush: () => new Promise((resolve) => fsync(descriptor, () => resolve())),
  close: () => closeSync(descriptor),
})
