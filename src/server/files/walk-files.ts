import { lstatSync } from 'node:fs'
import { type FileHandle, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { isTemporaryName } from '../../shared/schema/index.ts'
import { type Folder, openFolder, openWithin } from './folder.ts'
import { type IgnoreRules, MAX_IGNORE_BYTES, parseIgnoreRules } from './ignore-rules.ts'
import { READ_FLAGS } from './open-file.ts'

/** Limits of one walk: names in all directories together, and the depth. */
const MAX_NAMES = 100_000
const MAX_DEPTH = 64

/** A regular file that a walk has found. */
export interface FoundFile {
  /** relative to the start of the walk */
  path: string
  /** Returns its content; null: it is larger, is no longer a regular file, or cannot be read. */
  read(maxBytes: number): Promise<Buffer | null>
}

/** A file of a walk. After the walk has left its directory, `read` opens all directories on the way to it again. */
export interface WalkedFile extends FoundFile {
  /** Returns its size, before the walk continues; null: it is no longer a regular file. */
  size(): number | null
}

export interface WalkOptions {
  /** whether to omit a path */
  hides(path: string): boolean
  /** whether to include names that start with a dot */
  showsDotFiles: boolean
  /** whether to stop, checked before each name */
  isOver(): boolean
  /** receives directories that cannot be read */
  onSkipped(path: string): void
}

interface Level {
  folder: Folder
  /** whether the folder is held open */
  isOpen: boolean
  /** relative path, empty for the start */
  path: string
  rules: { at: string; rules: IgnoreRules }[]
  depth: number
}

/**
 * Yields the regular files below a directory, sorted by name, without those that .gitignore and .ignore files in it exclude. It holds each
 * directory open while it is in it and follows no links, so that nothing outside can be reached. Returns whether it found everything.
 */
export async function* walkFiles(root: string, options: WalkOptions): AsyncGenerator<WalkedFile, boolean> {
  const walk = { root, left: MAX_NAMES, isWhole: true }
  yield* walkLevel({ folder: openFolder(root), isOpen: true, path: '', rules: [], depth: 0 }, walk, options)
  return walk.isWhole
}

interface Walk {
  readonly root: string
  left: number
  isWhole: boolean
}

/** Yields the files of an open directory and those below it, and closes it. */
async function* walkLevel(level: Level, walk: Walk, options: WalkOptions): AsyncGenerator<WalkedFile> {
  try {
    yield* filesIn(level, walk, options)
  } finally {
    level.isOpen = false
    level.folder.close()
  }
}

async function* filesIn(level: Level, walk: Walk, options: WalkOptions): AsyncGenerator<WalkedFile> {
  const { folder, path, depth } = level
  const rules = [...level.rules, ...(await rulesIn(folder, path))]
  const entries = await entriesOf(folder, walk, options)
  for (const { name, isDirectory } of entries) {
    if (options.isOver()) {
      walk.isWhole = false
      return
    }
    const relative = path === '' ? name : `${path}/${name}`
    if (options.hides(join(folder.path, name)) || isIgnored(relative, isDirectory, rules)) continue
    if (!isDirectory) {
      yield {
        path: relative,
        read: (maxBytes) =>
          level.isOpen ? readWithin(folder, name, maxBytes) : readBelow(walk.root, relative, maxBytes),
        size: () => sizeWithin(folder, name),
      }
      continue
    }
    if (depth === MAX_DEPTH) {
      walk.isWhole = false
      continue
    }
    let within: Folder
    try {
      within = openWithin(folder, name)
    } catch {
      options.onSkipped(relative) // no permission, or replaced since it was listed
      continue
    }
    yield* walkLevel({ folder: within, isOpen: true, path: relative, rules, depth: depth + 1 }, walk, options)
  }
}

async function entriesOf(
  folder: Folder,
  walk: Walk,
  { showsDotFiles, isOver }: WalkOptions,
): Promise<{ name: string; isDirectory: boolean }[]> {
  const found: { name: string; isDirectory: boolean }[] = []
  for await (const entry of await opendir(folder.at('.'))) {
    const { name } = entry
    if (walk.left === 0 || isOver()) {
      walk.isWhole = false
      break
    }
    walk.left--
    const isSkipped = name === '.git' || (!showsDotFiles && name.startsWith('.')) || isTemporaryName(name)
    if (isSkipped || !(entry.isFile() || entry.isDirectory())) continue
    found.push({ name, isDirectory: entry.isDirectory() })
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Whether the innermost rule that matches a path excludes it. */
function isIgnored(path: string, isDirectory: boolean, rules: Level['rules']): boolean {
  for (const { at, rules: own } of [...rules].reverse()) {
    const verdict = own.ignores(at === '' ? path : path.slice(at.length + 1), isDirectory)
    if (verdict !== null) return verdict
  }
  return false
}

async function rulesIn(folder: Folder, path: string): Promise<Level['rules']> {
  const found: Level['rules'] = []
  for (const name of ['.gitignore', '.ignore']) {
    const text = await readIgnoreFile(folder, name)
    if (text !== null) found.push({ at: path, rules: parseIgnoreRules(text) })
  }
  return found
}

/** The start of an ignore file. */
const readIgnoreFile = async (folder: Folder, name: string): Promise<string | null> =>
  (await withRegular(folder, name, async (handle) => contentOf(handle, MAX_IGNORE_BYTES)))?.toString() ?? null

const readWithin = (folder: Folder, name: string, maxBytes: number): Promise<Buffer | null> =>
  withRegular(folder, name, async (handle, size) => (size > maxBytes ? null : contentOf(handle, size)))

/** Reads a file by the directories above it, without following links. */
async function readBelow(root: string, path: string, maxBytes: number): Promise<Buffer | null> {
  const names = path.split('/')
  let folder: Folder | null = null
  try {
    folder = openFolder(root)
    for (const name of names.slice(0, -1)) {
      const parent = folder
      folder = null
      try {
        folder = openWithin(parent, name)
      } finally {
        parent.close()
      }
    }
    return await readWithin(folder, names.at(-1)!, maxBytes)
  } catch {
    return null // moved, or replaced by a link
  } finally {
    folder?.close()
  }
}

function sizeWithin(folder: Folder, name: string): number | null {
  try {
    const facts = lstatSync(folder.at(name))
    return facts.isFile() ? facts.size : null
  } catch {
    return null
  }
}

/** Opens a regular file; null: it is something else, or cannot be read. */
async function withRegular<T>(
  folder: Folder,
  name: string,
  read: (handle: FileHandle, size: number) => Promise<T | null>,
): Promise<T | null> {
  let handle: FileHandle | null = null
  try {
    handle = await open(folder.at(name), READ_FLAGS)
    const stat = await handle.stat()
    return stat.isFile() ? await read(handle, stat.size) : null
  } catch {
    return null
  } finally {
    await handle?.close()
  }
}

/** The first bytes of a file; a file that grows is read only up to there. */
async function contentOf(handle: FileHandle, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  let at = 0
  while (at < bytes) {
    const { bytesRead } = await handle.read(buffer, at, bytes - at, at)
    if (bytesRead === 0) break
    at += bytesRead
  }
  return buffer.subarray(0, at)
}
