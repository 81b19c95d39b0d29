import { closeSync, constants, existsSync, fsync, openSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { conflict } from './file-errors.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** Where Linux shows the open files of this process: a path below one of them stays in that directory, even if it is renamed or replaced by a link. */
const OPEN_FILES = '/proc/self/fd'
/** A laptop that runs `shellphone cp` may lack it; there each path is resolved again. */
const hasOpenFiles = existsSync(OPEN_FILES)

/** A directory that is held open, so that a name in it cannot lead elsewhere. */
export interface Folder {
  readonly path: string
  /** the path of a name in it */
  at(name: string): string
  /** resolves once added and removed names are on the disk */
  flush(): Promise<void>
  close(): void
}

/** Opens the directory at `path`, which must contain no links. Throws CONFLICT if it was replaced meanwhile. */
export function openFolder(path: string): Folder {
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    checkOpenedPath(descriptor, path)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  return held(descriptor, path)
}

/** Opens a directory in an open one; does not follow a link. */
export function openWithin(parent: Folder, name: string): Folder {
  const descriptor = openSync(parent.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return held(descriptor, join(parent.path, name))
}

/** Throws CONFLICT unless the descriptor belongs to the path that was judged: a link may have replaced a part of it since. */
export function checkOpenedPath(descriptor: number, path: string): void {
  if (hasOpenFiles && readlinkSync(`${OPEN_FILES}/${descriptor}`) !== path) {
    throw conflict(`moved or replaced during the request: ${path}`)
  }
}

const held = (descriptor: number, path: string): Folder => ({
  path,
  at: (name) => `${hasOpenFiles ? `${OPEN_FILES}/${descriptor}` : path}/${name}`,
  // some file systems cannot flush directories; then nothing can be done
  flush: () => new Promise((resolve) => fsync(descriptor, () => resolve())),
  close: () => closeSync(descriptor),
})
