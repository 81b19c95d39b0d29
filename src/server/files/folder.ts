import { closeSync, constants, existsSync, fsync, openSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { conflict } from './file-errors.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** Linux lists the open files of this process here. A path below an open directory stays in it, even if the directory is renamed or replaced by a link. */
const OPEN_FILES = '/proc/self/fd'
/** A laptop that runs `shellphone cp` may not have this list; each path is then resolved again. */
const hasOpenFiles = existsSync(OPEN_FILES)

/** A directory that is held open, so that a name in it cannot lead elsewhere. */
export interface Folder {
  readonly path: string
  /** the path of a name in the directory */
  at(name: string): string
  /** resolves when added and removed names are on disk; never rejects */
  flush(): Promise<void>
  close(): void
}

/** Opens the directory at `path`, which must contain no links. Throws CONFLICT if it has been replaced in the meantime. */
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

/** Opens a directory inside an open one; does not follow a link. */
export function openWithin(parent: Folder, name: string): Folder {
  const descriptor = openSync(parent.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return held(descriptor, join(parent.path, name))
}

/** Throws CONFLICT unless the descriptor belongs to the path that was judged: a link may have replaced a part of the path since then. */
export function checkOpenedPath(descriptor: number, path: string): void {
  if (hasOpenFiles && readlinkSync(`${OPEN_FILES}/${descriptor}`) !== path) {
    throw conflict(`moved or replaced during the request: ${path}`)
  }
}

const held = (descriptor: number, path: string): Folder => ({
  path,
  at: (name) => `${hasOpenFiles ? `${OPEN_FILES}/${descriptor}` : path}/${name}`,
  // some file systems cannot flush directories; nothing can be done about that
  flush: () => new Promise((resolve) => fsync(descriptor, () => resolve())),
  close: () => closeSync(descriptor),
})
