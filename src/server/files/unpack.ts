import { chmodSync, constants, lstatSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Note } from '../../shared/schema/index.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { type Folder, openFolder, openWithin } from './folder.ts'
import { type Head, noTar, padding, readHead, type TarEntry } from './tar-format.ts'
import { LeftOut, telling, tooLarge } from './file-errors.ts'

const MAX_DEPTH = 128
const MAX_PATH_BYTES = 4_096
/** What the owner of a directory needs to fill it. */
const OWNER = 0o700
const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants

interface Unpacking {
  bytes: AsyncIterable<Uint8Array>
  /** where what is not whole lies, in the directory; removed by whoever named it */
  temporary: string
  /** a larger file is TOO_LARGE; null: any */
  maxBytes: number | null
  /** absolute paths that are left alone */
  hides(path: string): boolean
  /** Each entry as it has got its name. */
  onEntry(path: string): void
}

/** How far an archive has come: `before`, or the entry behind it. Directories on the way to `before` come once more. */
export const furthest = (before: string | null, name: string): string =>
  before?.startsWith(`${name}/`) ? before : name

export interface Unpacked {
  entries: number
  bytes: number
  notes: Note[]
}

/**
 * Unpacks a tar archive into a directory, which is made where there is none. Nothing is followed: neither `..` nor a link, one of the
 * archive's own either. Each file has its name only when it is whole; what is no file, directory or link is left out. A directory that is
 * made here has its mode; one that its owner may not change gets that when all in it is there.
 */
export function unpackInto(path: string, unpacking: Unpacking): Promise<Unpacked> {
  return telling(path, async () => {
    const reader = createByteReader(unpacking.bytes, () => noTar('one that ends too early'))
    const first = await readHead(reader.take)
    const mode = first !== 'end' && partsOf(first.path).length === 0 ? (first.entry?.mode ?? null) : null
    const parent = openFolder(dirname(path))
    try {
      if (basename(path) !== '') makeFolder(parent, basename(path), mode)
    } finally {
      parent.close()
    }
    const way = createWay(openFolder(path), mode)
    try {
      return await unpackAll(way, first, reader, unpacking)
    } finally {
      way.close()
    }
  })
}

async function unpackAll(way: OpenFolders, first: Head, reader: ByteReader, unpacking: Unpacking): Promise<Unpacked> {
  const { temporary, maxBytes, hides, onEntry } = unpacking
  const unpacked: Unpacked = { entries: 0, bytes: 0, notes: [] }
  const skipped = new LeftOut()
  for (let head = first; head !== 'end'; head = await readHead(reader.take)) {
    const { entry } = head
    const parts = partsOf(head.path)
    if (maxBytes !== null && head.bytes > maxBytes) throw tooLarge(maxBytes)
    if (entry && parts.length > 0 && !hides(join(way.root.path, ...parts))) {
      await place(way, parts, entry, reader, way.root.at(basename(temporary)))
      unpacked.entries++
      unpacked.bytes += entry.bytes
      onEntry(parts.join('/'))
    } else {
      if (parts.length > 0) skipped.push(parts.join('/'))
      await skip(reader, head.bytes)
    }
    await skip(reader, padding(head.bytes).length)
  }
  way.finish()
  await reader.rest()
  unpacked.notes.push(...skipped.notes())
  return unpacked
}

async function skip(reader: ByteReader, bytes: number): Promise<void> {
  const all = reader.pieces(bytes)
  while (!(await all.next()).done); // each is forgotten
}

/** The names on the way to an entry; none for the directory itself. Throws VALIDATION_ERROR for a way out. */
function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const isOutside = path.startsWith('/') || parts.includes('..') || path.includes('\0')
  if (isOutside || parts.length > MAX_DEPTH || Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw noTar(`an entry outside of its directory, or too deep: ${path.slice(0, 200)}`)
  }
  return parts
}

async function place(
  way: OpenFolders,
  parts: string[],
  entry: TarEntry,
  reader: ByteReader,
  temporary: string,
): Promise<void> {
  const mode = entry.mode & 0o777
  if (entry.type === 'directory') return void way.to(parts, mode)
  const folder = way.to(parts.slice(0, -1))
  try {
    if (entry.type === 'symlink') symlinkSync(entry.target, temporary)
    else await save(temporary, mode, reader.pieces(entry.bytes))
    renameSync(temporary, folder.at(parts.at(-1)!))
  } catch (error) {
    rmSync(temporary, { force: true }) // nobody could write it again where its mode is read-only
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

/** One that is there is left as it is; a link to one is none. `mode` null: as the system's mask says. */
function makeFolder(parent: Folder, name: string, mode: number | null): void {
  try {
    mkdirSync(parent.at(name), mode === null ? 0o777 : (mode & 0o777) | OWNER)
  } catch (error) {
    const stat = lstatSync(parent.at(name), { throwIfNoEntry: false })
    if (stat?.isDirectory() !== true) throw error
  }
}

/** Now that all in it is there: may its owner not change it? One that others may use otherwise is not ours. */
function restrict(folder: Folder, mode: number | null): void {
  if (mode === null || (mode & OWNER) === OWNER) return
  const current = statSync(folder.at('.')).mode & 0o777
  if ((current & ~(mode | OWNER)) === 0) chmodSync(folder.at('.'), current & mode)
}

/** The directories on the way to the last entry are held open: the next one lies near. */
interface OpenFolders {
  root: Folder
  /** The directory of these names, made where it is missing; `mode` is its own, null: not known. */
  to(parts: string[], mode?: number | null): Folder
  /** All has come: each directory gets its mode. */
  finish(): void
  close(): void
}

function createWay(root: Folder, rootMode: number | null): OpenFolders {
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
