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

/** Returns the absolute path with all symbolic links resolved; null if it does not exist or cannot be read. */
export function realpathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null // for any error the path cannot be judged
  }
}

/** Resolves the links in the longest existing part of an absolute path, including a dangling link; returns null on failure. */
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
 * Returns a function that resolves the paths of a command, which is another process: it leaves a link beneath /proc unresolved, because
 * resolving it would follow a link of this process. A path that is a hard link to a file in `ownFolder` becomes the path of that file.
 */
export function realpathForCommands(ownFolder: string): (path: string) => string | null {
  return (path) => {
    const real = withoutLinks(path)
    return real === null ? null : (sameFileIn(ownFolder, real) ?? real)
  }
}

const MAX_LINKS = 40

function withoutLinks(path: string): string | null {
  if (realpathOrNull(path) === path) return path // contains no link
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

/** Returns the file in a folder to which a path is a hard link; null if it is not. */
function sameFileIn(folder: string, path: string): string | null {
  const { dev, ino, nlink } = statOrNull(path) ?? {}
  if (nlink === undefined || nlink < 2) return null
  const found = namesIn(folder).find((name) => {
    const own = statOrNull(join(folder, name))
    return own?.ino === ino && own?.dev === dev
  })
  return found === undefined ? null : join(folder, found)
}

/** Returns null unless the path is a regular file. */
function statOrNull(path: string) {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isFile() ? stat : null
  } catch {
    return null // missing, or access is denied
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // for any error no file in it can be read
  }
}

function linkTarget(path: string): string | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null // access is denied: the caller resolves the parent
  }
}

/** Maximum size of a script that is judged. An approval is bound to the content of longer scripts, too. */
const MAX_SCRIPT_BYTES = 262_144
/** Maximum size of all files of one command together. Files beyond it are neither judged nor bound to the approval. */
const MAX_SEEN_BYTES = 4_194_304

/** The SHA-256 of each file that a command runs, by path; null: the file did not exist. as-judged.ts checks them before the start. */
export type SeenScripts = Map<string, string | null>

/**
 * Returns a test for whether a real path is in the service's own folders, or is a hard link to a file in them, or is beneath /proc. The
 * service never reads such a file for a caller.
 */
export function hiddenBy(folders: string[]): (path: string) => boolean {
  const own = folders.map((folder) => realpathOrNull(folder) ?? folder)
  const isIn = (path: string) => (root: string) => isWithin({ path, root })
  return (path) => [...own, '/proc'].some(isIn(path)) || own.some((folder) => sameFileIn(folder, path) !== null)
}

/**
 * Returns a function that reads script files for the guards. It returns null for a file that is missing, not a regular file, too long,
 * unreadable, or hidden (a refusal would reveal the content). It records in `seen` which files it read and which did not exist.
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
  // each file is read once, even if several sets of settings need it
  const texts = new Map<string, string | null>()
  return (path) => {
    if (!texts.has(path)) texts.set(path, read(path))
    return texts.get(path)!
  }
}

/** Returns the files that were read, sorted by path. */
export const listScripts = (seen: SeenScripts): ScriptFile[] =>
  [...seen]
    .flatMap(([path, sha256]) => (sha256 === null ? [] : { path, sha256 }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))

/** Returns whether any file has changed, or now exists but did not before. */
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
    return true // assume that it exists if access is denied
  }
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** Opens a file without waiting for a pipe's writer. Checks the path of the open file, because links can change. */
function contentOf(path: string, maxBytes: number, isHidden = (_path: string) => false): Buffer | null {
  let descriptor: number | null = null
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(descriptor)
    if (isHidden(readlinkSync(`/proc/self/fd/${descriptor}`))) return null
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(descriptor) : null
  } catch {
    return null // for any error the file cannot be judged
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}
