import { closeSync, constants, fsync, openSync, readlinkSync } from 'node:fs'
import { conflict } from './trouble.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** Where the kernel shows an open file of this process: a path below it starts there, whatever is renamed or linked meanwhile. */
const pathOf = (descriptor: number) => `/proc/self/fd/${descriptor}`

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
  return held(descriptor, `${parent.path === '/' ? '' : parent.path}/${name}`)
}

/** Is what was opened what was judged? A link may have come into the way since. Throws CONFLICT. */
export function checkPlace(descriptor: number, path: string): void {
  if (readlinkSync(pathOf(descriptor)) !== path) throw conflict(`it was moved or replaced meanwhile: ${path}`)
}

const held = (descriptor: number, path: string): Folder => ({
  path,
  at: (name) => `${pathOf(descriptor)}/${name}`,
  // some file systems do not flush directories: there is nothing to do then
  flush: () => new Promise((resolve) => fsync(descriptor, () => resolve())),
  close: () => closeSync(descriptor),
})
