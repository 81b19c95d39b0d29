import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isWithin, type ScriptFile } from '../../shared/schema/index.ts'

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

/**
 * The same for the paths of a command, which is another process: a link beneath /proc stays as it is, since following it would follow one of
 * this process. A file that is one of `ownFolder` by a hard link is named as that one.
 */
export function realpathForCommands(ownFolder: string): (path: string) => string | null {
  return (path) => {
    const real = withoutLinks(path)
    return real === null ? null : (sameFileIn(ownFolder, real) ?? real)
  }
}

const MAX_LINKS = 40

function withoutLinks(path: string): string | null {
  if (realpathOrNull(path) === path) return path // no link in it
  const rest = path.split('/')
  let at = ''
  for (let links = 0; rest.length > 0;) {
    const part = rest.shift()!
    if (part === '' || part === '.') continue
    const next = part === '..' ? dirname(at) : `${at}/${part}`
    if (next === '/proc') return join(next, ...rest)
    const target = part === '..' ? null : linkTarget(next)
    at = target === null ? (next === '/' ? '' : next) : target.startsWith('/') ? '' : at
    if (target === null) continue
    if (++links > MAX_LINKS) return null
    rest.unshift(...target.split('/'))
  }
  return at || '/'
}

/** The file of a folder that a path stands for by a hard link; null: it stands for none. */
function sameFileIn(folder: string, path: string): string | null {
  const { dev, ino, nlink } = statOrNull(path) ?? {}
  if (nlink === undefined || nlink < 2) return null
  const found = namesIn(folder).find((name) => {
    const own = statOrNull(join(folder, name))
    return own?.ino === ino && own?.dev === dev
  })
  return found === undefined ? null : join(folder, found)
}

/** Of a regular file. */
function statOrNull(path: string) {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isFile() ? stat : null
  } catch {
    return null // nothing there, or not to be looked at
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // whatever the reason, nothing in it can be read
  }
}

function linkTarget(path: string): string | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null // nothing there: what is asked is its parent
  }
}

/** A longer script is not judged; it is bound to what it holds all the same. */
const MAX_SCRIPT_BYTES = 262_144
/** What the files of one command may hold together: what is longer is neither judged nor bound. */
const MAX_SEEN_BYTES = 4_194_304

/** The SHA-256 of each file that a command runs, by its path, and null for one that was not there: what runs must be that. */
export type SeenScripts = Map<string, string | null>

/**
 * Whether a real path lies in what the service keeps for itself, by a hard link too, or in the kernel's view of it: nothing there is read
 * for a caller.
 */
export function hiddenBy(folders: string[]): (path: string) => boolean {
  const own = folders.map((folder) => realpathOrNull(folder) ?? folder)
  const isIn = (path: string) => (root: string) => isWithin({ path, root })
  return (path) => [...own, '/proc'].some(isIn(path)) || own.some((folder) => sameFileIn(folder, path) !== null)
}

/**
 * Reads script files for the guards; null: none, no regular file, too long, hidden (what is refused in it is told), or not to be read. What
 * was read, and what was not there, is noted in `seen`.
 */
export function scriptReader(seen: SeenScripts, isHidden: (path: string) => boolean): (path: string) => string | null {
  let leftBytes = MAX_SEEN_BYTES
  const read = (path: string) => {
    const isKernels = isWithin({ path: withoutLinks(path) ?? path, root: '/proc' })
    const content = isKernels ? null : contentOf(path, leftBytes, isHidden)
    if (content !== null) seen.set(path, sha256(content))
    else if (!isThere(path)) seen.set(path, null)
    leftBytes -= content?.length ?? 0
    return content === null || content.length > MAX_SCRIPT_BYTES ? null : content.toString()
  }
  // once, whichever settings ask for it
  const texts = new Map<string, string | null>()
  return (path) => {
    if (!texts.has(path)) texts.set(path, read(path))
    return texts.get(path)!
  }
}

/** What was read, by path. */
export const listScripts = (seen: SeenScripts): ScriptFile[] =>
  [...seen]
    .flatMap(([path, sha256]) => (sha256 === null ? [] : { path, sha256 }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))

/** Whether a file is no longer what it was, or is there now. */
export const isChanged = (seen: SeenScripts): boolean =>
  [...seen].some(([path, before]) => (before === null ? isThere(path) : digestOf(path) !== before))

function digestOf(path: string): string | null {
  const content = contentOf(path, MAX_SEEN_BYTES)
  return content === null ? null : sha256(content)
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true // it cannot be looked at, so that nothing can be said of it
  }
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** Opening a pipe must not wait for its writer; where it leads is asked of what was opened, as links change. */
function contentOf(path: string, maxBytes: number, isHidden = (_path: string) => false): Buffer | null {
  let descriptor: number | null = null
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(descriptor)
    if (isHidden(readlinkSync(`/proc/self/fd/${descriptor}`))) return null
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(descriptor) : null
  } catch {
    return null // whatever the reason, nothing can be said of it
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}
