import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The absolute path with every symlink followed; null when it does not exist or cannot be read. */
export function realpathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null // whatever the reason, nothing can be said of it
  }
}

/** Follows the links in the longest existing part of an absolute path, a dangling link too; null where that fails. */
export function realpathOfLongest(path: string, links = 0): string | null {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || links > 40) return null
  }
  const target = linkTarget(path)
  if (target !== null) return realpathOfLongest(resolve(dirname(path), target), links + 1)
  const parent = realpathOfLongest(dirname(path), links + 1)
  return parent === null ? null : join(parent, basename(path))
}

function linkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null // nothing there: what is asked is its parent
  }
}
