import { createHash } from 'node:crypto'
import { type BigIntStats, createReadStream, createWriteStream, rmSync } from 'node:fs'
import { type FileHandle, lstat, realpath, rename, stat } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { temporaryName } from '../shared/schema/index.ts'
import type { CopyProgress, FileSource } from './phone-client.ts'

const PIECE_BYTES = 262_144

/** The local target of a download. */
interface LocalTarget {
  /** the directory for the temporary file */
  folder: string
  /** Replaces the target's content with that of `temporary`. */
  fill(temporary: string): Promise<void>
}

/** Prepares the target: replaces a regular file atomically, follows a link, and writes to a device or a FIFO. Throws for a dangling link. */
export async function localTarget(to: string): Promise<LocalTarget> {
  const found = await stat(to).catch(() => null)
  if (found && !found.isFile()) {
    return {
      folder: tmpdir(),
      fill: (temporary) => pipeline(createReadStream(temporary), createWriteStream(to)),
    }
  }
  const isDangling = !found && (await lstat(to).catch(() => null)) !== null
  if (isDangling) throw new Error(`${to}: expected a file or a new name, got a dangling symbolic link`)
  const file = found ? await realpath(to) : to
  return { folder: dirname(file), fill: (temporary) => rename(temporary, file) }
}

/** Calls `work` with a temporary name in `folder`. Removes that file when `work` ends or the process exits. */
export async function withTemporary<T>(folder: string, work: (temporary: string) => Promise<T>): Promise<T> {
  const temporary = join(folder, temporaryName())
  const remove = () => rmSync(temporary, { force: true })
  process.once('exit', remove)
  try {
    return await work(temporary)
  } finally {
    process.off('exit', remove)
    remove()
  }
}

/** A source for an open local file. Another process can resume an interrupted upload while the file is unchanged. */
export async function localSource(path: string, handle: FileHandle, progress: CopyProgress): Promise<FileSource> {
  const stat = await handle.stat({ bigint: true })
  const size = Number(stat.size)
  const { from, sha256 } = createReader(handle, size, progress)
  return { size, key: keyOf(await realpath(path), stat), from, sha256 }
}

const keyOf = (path: string, { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  createHash('sha256').update([hostname(), path, dev, ino, size, mtimeNs, ctimeNs].join('\0')).digest('hex')

/** Reads the file from any offset. The SHA-256 covers each byte of the whole file once, including bytes that are not sent. */
function createReader(handle: FileHandle, size: number, progress: CopyProgress) {
  const hash = createHash('sha256')
  let hashed = 0
  async function* from(start: number): AsyncGenerator<Buffer> {
    for (let at = Math.min(start, hashed); at < size;) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - at))
      const { bytesRead } = await handle.read(piece, 0, piece.length, at)
      if (bytesRead === 0) throw new Error(`the file shrank during the copy: expected ${size} bytes, got ${at}`)
      const read = piece.subarray(0, bytesRead)
      if (at + bytesRead > hashed) hash.update(read.subarray(Math.max(0, hashed - at)))
      const unsent = read.subarray(Math.max(0, start - at))
      at += bytesRead
      hashed = Math.max(hashed, at)
      if (unsent.length > 0) yield unsent
      progress.at(at)
    }
  }
  return { from, sha256: async () => hash.digest('base64') }
}
