import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isWithin, type ScriptFile } from '../schema/index.ts'

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

/** A longer script is not read; the guards say then that they do not know it. */
const MAX_SCRIPT_BYTES = 262_144

/** The SHA-256 of each script file that was read to judge a command, by its path: for an approval to be bound to. */
export type SeenScripts = Map<string, string>

/** Whether a real path lies in what the service keeps for itself, or in the kernel's view of it: nothing there is read for a caller. */
export function hiddenBy(folders: string[]): (path: string) => boolean {
  const roots = [...folders.map((folder) => realpathOrNull(folder) ?? folder), '/proc']
  return (path) => roots.some((root) => isWithin({ path, root }))
}

/**
 * A script file for the guards; null: none, no regular file, too long, hidden (what is refused in it is told), or not to be read. What was
 * read is noted in `seen`.
 */
export function readScript(path: string, seen: SeenScripts, isHidden: (path: string) => boolean): string | null {
  const content = contentOf(path, isHidden)
  if (content !== null) seen.set(path, sha256(content))
  return content === null ? null : content.toString()
}

/** What was read, by path. */
export const listScripts = (seen: SeenScripts): ScriptFile[] =>
  [...seen].map(([path, sha256]) => ({ path, sha256 })).sort((a, b) => (a.path < b.path ? -1 : 1))

/** Is the file no longer what it was? */
export function isChanged({ path, sha256: before }: ScriptFile): boolean {
  const content = contentOf(path)
  return content === null || sha256(content) !== before
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** Opening a pipe must not wait for its writer; where it leads is asked of what was opened, as links change. */
function contentOf(path: string, isHidden = (_path: string) => false): Buffer | null {
  let descriptor: number | null = null
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(descriptor)
    if (isHidden(readlinkSync(`/proc/self/fd/${descriptor}`))) return null
    return stat.isFile() && stat.size <= MAX_SCRIPT_BYTES ? readFileSync(descriptor) : null
  } catch {
    return null // whatever the reason, nothing can be said of it
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}
