import { constants, lstatSync, mkdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { type Folder, openFolder, openWithin } from './folder.ts'
import { noTar, padding, readHead, type TarEntry } from './tar-format.ts'
import { LeftOut, telling, tooLarge } from './trouble.ts'

const MAX_DEPTH = 128
const MAX_PATH_BYTES = 4_096
const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants

interface Unpacking {
  bytes: AsyncIterable<Buffer>
  /** where what is not whole lies, in the directory; removed by whoever named it */
  temporary: string
  /** a larger file is TOO_LARGE; null: any */
  maxBytes: number | null
  /** absolute paths that are left alone */
  hides(path: string): boolean
  /** Each entry as it has got its name. */
  onEntry(path: string): void
}

export interface Unpacked {
  entries: number
  bytes: number
  notes: string[]
}

/**
 * Unpacks a tar archive into a directory, which is made where there is none. Nothing is followed: neither `..` nor a link, one of the
 * archive's own either. Each file has its name only when it is whole; what is no file, directory or link is left out.
 */
export function unpackInto(path: string, unpacking: Unpacking): Promise<Unpacked> {
  return telling(path, async () => {
    const parent = openFolder(dirname(path))
    try {
      if (basename(path) !== '') makeFolder(parent, basename(path))
    } finally {
      parent.close()
    }
    const way = createWay(openFolder(path))
    try {
      return await unpackAll(way, unpacking)
    } finally {
      way.close()
    }
  })
}

async function unpackAll(way: Way, { bytes, temporary, maxBytes, hides, onEntry }: Unpacking): Promise<Unpacked> {
  const reader = createByteReader(bytes, () => noTar('one that ends too early'))
  const unpacked: Unpacked = { entries: 0, bytes: 0, notes: [] }
  const skipped = new LeftOut()
  for (let head = await readHead(reader.take); head !== 'end'; head = await readHead(reader.take)) {
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

async function place(way: Way, parts: string[], entry: TarEntry, reader: ByteReader, temporary: string): Promise<void> {
  const folder = way.to(parts.slice(0, -1))
  const name = parts.at(-1)!
  const mode = entry.mode & 0o777
  if (entry.type === 'directory') return makeFolder(folder, name)
  if (entry.type === 'symlink') symlinkSync(entry.target, temporary)
  else await save(temporary, mode, reader.pieces(entry.bytes))
  try {
    renameSync(temporary, folder.at(name))
  } catch (error) {
    unlinkSync(temporary)
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

/** One that is there is left as it is; a link to one is none. */
function makeFolder(parent: Folder, name: string): void {
  try {
    mkdirSync(parent.at(name))
  } catch (error) {
    const stat = lstatSync(parent.at(name), { throwIfNoEntry: false })
    if (stat?.isDirectory() !== true) throw error
  }
}

/** The directories on the way to the last entry are held open: the next one lies near. */
interface Way {
  root: Folder
  /** The directory of these names, made where it is missing. */
  to(parts: string[]): Folder
  close(): void
}

function createWay(root: Folder): Way {
  const open: { name: string; folder: Folder }[] = []
  const shorten = (length: number) => {
    for (const { folder } of open.splice(length)) folder.close()
  }
  return {
    root,
    to(parts) {
      const same = parts.findIndex((part, index) => open[index]?.name !== part)
      shorten(same < 0 ? parts.length : same)
      for (const name of parts.slice(open.length)) {
        const parent = open.at(-1)?.folder ?? root
        makeFolder(parent, name)
        open.push({ name, folder: openWithin(parent, name) })
      }
      return open.at(-1)?.folder ?? root
    },
    close() {
      shorten(0)
      root.close()
    },
  }
}
