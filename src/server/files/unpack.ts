import { chmodSync, constants, lstatSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Note } from '../../shared/schema/index.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { type Folder, openFolder, openWithin } from './folder.ts'
import { type Head, noTar, padding, readHead, type TarEntry } from './tar-format.ts'
import { SkippedNames, withFileErrors, tooLarge } from './file-errors.ts'

const MAX_DEPTH = 128
const MAX_PATH_BYTES = 4_096
/** The mode bits that the owner of a directory needs to fill it. */
const OWNER = 0o700
const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants

interface UnpackOptions {
  bytes: AsyncIterable<Uint8Array>
  /** the name of an incomplete file in the directory; the caller removes that file */
  temporary: string
  /** a larger file throws TOO_LARGE; null: no limit */
  maxBytes: number | null
  /** whether to skip an absolute path */
  hides(path: string): boolean
  /** Receives the path of each complete entry. */
  onEntry(path: string): void
}

/** How far an archive has been unpacked: `before`, or a later entry `name`. The client sends the directories above `before` again. */
export const furthest = (before: string | null, name: string): string =>
  before?.startsWith(`${name}/`) ? before : name

interface UnpackResult {
  entries: number
  bytes: number
  notes: Note[]
}

/**
 * Unpacks a tar archive into a directory, which is created if it is missing. Follows neither `..` nor any link, not even the archive's own.
 * A file gets its name only when it is complete. Skips everything except files, directories and links. New directories get the mode in the
 * archive; if the owner may not write to a directory, it gets its mode when its content is complete.
 */
export function unpackInto(path: string, options: UnpackOptions): Promise<UnpackResult> {
  return withFileErrors(path, async () => {
    const reader = createByteReader(options.bytes, () => noTar('an archive that ends too early'))
    const first = await readHead(reader.take)
    const mode = first !== 'end' && partsOf(first.path).length === 0 ? (first.entry?.mode ?? null) : null
    const parent = openFolder(dirname(path))
    try {
      if (basename(path) !== '') makeFolder(parent, basename(path), mode)
    } finally {
      parent.close()
    }
    const folders = trackFolders(openFolder(path), mode)
    try {
      return await unpackAll(folders, first, reader, options)
    } finally {
      folders.close()
    }
  })
}

async function unpackAll(
  folders: OpenFolders,
  first: Head,
  reader: ByteReader,
  { temporary, maxBytes, hides, onEntry }: UnpackOptions,
): Promise<UnpackResult> {
  const unpacked: UnpackResult = { entries: 0, bytes: 0, notes: [] }
  const skipped = new SkippedNames()
  for (let head = first; head !== 'end'; head = await readHead(reader.take)) {
    const { entry } = head
    const parts = partsOf(head.path)
    if (maxBytes !== null && head.bytes > maxBytes) throw tooLarge(maxBytes)
    if (entry && parts.length > 0 && !hides(join(folders.root.path, ...parts))) {
      await unpackEntry(folders, parts, entry, reader, folders.root.at(basename(temporary)))
      unpacked.entries++
      unpacked.bytes += entry.bytes
      onEntry(parts.join('/'))
    } else {
      if (parts.length > 0) skipped.push(parts.join('/'))
      await skip(reader, head.bytes)
    }
    await skip(reader, padding(head.bytes).length)
  }
  folders.finish()
  await reader.rest()
  unpacked.notes.push(...skipped.notes())
  return unpacked
}

async function skip(reader: ByteReader, bytes: number): Promise<void> {
  const all = reader.pieces(bytes)
  while (!(await all.next()).done); // discards each piece
}

/** The parts of an entry's path; empty for the directory itself. Throws VALIDATION_ERROR if the path leads out of the directory. */
function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const isOutside = path.startsWith('/') || parts.includes('..') || path.includes('\0')
  if (isOutside || parts.length > MAX_DEPTH || Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw noTar(`an entry outside the directory, or nested too deeply: ${path.slice(0, 200)}`)
  }
  return parts
}

async function unpackEntry(
  folders: OpenFolders,
  parts: string[],
  entry: TarEntry,
  reader: ByteReader,
  temporary: string,
): Promise<void> {
  const mode = entry.mode & 0o777
  if (entry.type === 'directory') return void folders.to(parts, mode)
  const folder = folders.to(parts.slice(0, -1))
  try {
    if (entry.type === 'symlink') symlinkSync(entry.target, temporary)
    else await save(temporary, mode, reader.pieces(entry.bytes))
    renameSync(temporary, folder.at(parts.at(-1)!))
  } catch (error) {
    rmSync(temporary, { force: true }) // if the file is read-only, the next attempt could not write to it
    throw error
  }
}

async function save(temporary: string, mode: number, pieces: AsyncIterable<Buffer>): Promise<void> {
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode)
  try {
    await writeFile(handle, pieces)
  } finally {
    await handle.close()
  }
}

/** Leaves an existing directory unchanged; throws for anything else of that name, even a link to a directory. `mode` null: the umask decides. */
function makeFolder(parent: Folder, name: string, mode: number | null): void {
  try {
    mkdirSync(parent.at(name), mode === null ? 0o777 : (mode & 0o777) | OWNER)
  } catch (error) {
    const stat = lstatSync(parent.at(name), { throwIfNoEntry: false })
    if (stat?.isDirectory() !== true) throw error
  }
}

/** When the content is complete, applies a mode that forbids the owner to write. Does not change a directory with other permissions, which existed before. */
function restrict(folder: Folder, mode: number | null): void {
  if (mode === null || (mode & OWNER) === OWNER) return
  const current = statSync(folder.at('.')).mode & 0o777
  if ((current & ~(mode | OWNER)) === 0) chmodSync(folder.at('.'), current & mode)
}

/** Holds the directories above the last entry open, because the next entry is usually near it. */
interface OpenFolders {
  root: Folder
  /** The directory with this path, created if it is missing. `mode` null: unknown. */
  to(parts: string[], mode?: number | null): Folder
  /** Call at the end of the archive, to give each directory its mode. */
  finish(): void
  close(): void
}

function trackFolders(root: Folder, rootMode: number | null): OpenFolders {
  const open: { name: string; folder: Folder; mode: number | null }[] = []
  const leave = (length: number) => {
    for (; open.length > length; open.pop()!.folder.close()) restrict(open.at(-1)!.folder, open.at(-1)!.mode)
  }
  return {
    root,
    to(parts, mode = null) {
      const same = parts.findIndex((part, index) => open[index]?.name !== part)
      leave(same < 0 ? parts.length : same)
      for (const name of parts.slice(open.length)) {
        const parent = open.at(-1)?.folder ?? root
        const own = open.length === parts.length - 1 ? mode : null
        makeFolder(parent, name, own)
        open.push({ name, folder: openWithin(parent, name), mode: own })
      }
      return open.at(-1)?.folder ?? root
    },
    finish() {
      leave(0)
      restrict(root, rootMode)
    },
    close() {
      for (const { folder } of open) folder.close()
      root.close()
    },
  }
}
