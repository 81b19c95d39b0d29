import { constants, lstatSync, renameSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type FileFacts, invalid, ShellphoneError } from '../../shared/schema/index.ts'
import { factsOf } from './facts.ts'
import { checkPlace, type Folder, openFolder } from './folder.ts'
import { hashOf, mustBe } from './open-file.ts'
import { telling, tooLarge } from './file-errors.ts'
import type { Upload, Uploads } from './uploads.ts'

/** What comes of one file in one request. */
export interface UploadPart {
  /** under which it can go on after a cut; null: it cannot */
  key: string | null
  /** the first byte that comes */
  start: number
  /** of the bytes that come; null: not known */
  length: number | null
  /** of the whole file; null: what comes is all */
  total: number | null
  bytes: AsyncIterable<Buffer>
  /** a larger file is TOO_LARGE; null: any */
  maxBytes: number | null
  /** null: as what it replaces, else as the system's mask says */
  mode: number | null
  /** Throws where what has the name now is not what may be replaced; null: nothing has. */
  mayReplace(there: FileFacts | null): void
  /** ends the coming of bytes */
  stop(): void
  canceled: AbortSignal
}

/** All of it has come and has its name; or so many bytes have, and the rest is waited for. */
type UploadResult =
  | { isWhole: true; created: boolean; facts: FileFacts; sha256: string }
  | { isWhole: false; bytes: number }

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants

/** How much has come of an upload; whoever still sends it is stopped first. */
export async function uploadedBytes(key: string, uploads: Uploads): Promise<number> {
  return (await uploads.find(key))?.bytes ?? 0
}

/**
 * Writes a file under a temporary name beside its place, flushes it and gives it its name in one step: who reads it sees the old one or
 * the new one, whole. Of two at once the last wins. Cut off, a keyed one waits for the rest.
 */
export function writeFile(path: string, part: UploadPart, uploads: Uploads): Promise<UploadResult> {
  return telling(path, async () => {
    const folder = openFolder(dirname(path))
    try {
      part.mayReplace(replaceable(folder, path))
      return await receive(folder, path, part, uploads)
    } finally {
      folder.close()
    }
  })
}

async function receive(folder: Folder, path: string, part: UploadPart, uploads: Uploads): Promise<UploadResult> {
  const upload = await uploadFor(folder, part, uploads)
  let handle: FileHandle | null = null
  try {
    handle = await openTemporary(folder, upload, part)
    await take(handle, upload, part)
    if (part.total !== null && upload.bytes < part.total) {
      uploads.leave(upload)
      return { isWhole: false, bytes: upload.bytes }
    }
    const written = await giveName(handle, folder, path, upload, part)
    uploads.end(upload)
    return written
  } catch (error) {
    if (isCut(error)) uploads.leave(upload)
    else uploads.end(upload)
    throw error
  } finally {
    await handle?.close()
  }
}

/** Only where bytes no longer come can the rest come later: not where the disk or we refuse it. */
const isCut = (error: unknown) => !(error instanceof ShellphoneError) && !('syscall' in (error as object))

async function uploadFor(folder: Folder, { key, start, stop }: UploadPart, uploads: Uploads): Promise<Upload> {
  const there = key === null || start === 0 ? null : await uploads.find(key)
  if (start !== (there?.bytes ?? 0)) {
    throw new ShellphoneError('CONFLICT', `Content-Range: expected to continue at ${there?.bytes ?? 0}, got ${start}`, {
      field: 'Content-Range',
    })
  }
  if (there === null) return uploads.begin(key, folder.path, stop)
  uploads.resume(there, stop)
  return there
}

async function openTemporary(folder: Folder, upload: Upload, { mode, canceled }: UploadPart): Promise<FileHandle> {
  const isNew = upload.bytes === 0
  const flags = isNew ? O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW : O_RDWR | O_NOFOLLOW
  const handle = await open(folder.at(basename(upload.temporary)), flags, mode === null ? 0o666 : mode & 0o777)
  if (isNew) return handle
  try {
    checkPlace(handle.fd, upload.temporary)
    await handle.truncate(upload.bytes)
    upload.hash ??= await hashOf(handle, upload.bytes, upload.temporary, canceled) // it came before the service began
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** What is counted has been written and hashed, whenever the bytes stop coming. */
async function take(handle: FileHandle, upload: Upload, part: UploadPart): Promise<void> {
  const end = part.length === null ? (part.total ?? Infinity) : part.start + part.length
  for await (const chunk of part.bytes) {
    const size = upload.bytes + chunk.length
    if (size > end) throw tooLong(end, size)
    if (part.maxBytes !== null && size > part.maxBytes) throw tooLarge(part.maxBytes)
    const writing = writeAll(handle, chunk, upload.bytes)
    upload.hash!.update(chunk)
    await writing
    upload.bytes = size
  }
  if (part.length !== null && upload.bytes < end) throw new Error(`expected ${end} bytes, got ${upload.bytes}`)
}

async function writeAll(handle: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let at = 0; at < chunk.length;) {
    at += (await handle.write(chunk, at, chunk.length - at, position + at)).bytesWritten
  }
}

/** From the look at what is there to the rename nobody comes between. */
async function giveName(
  handle: FileHandle,
  folder: Folder,
  path: string,
  upload: Upload,
  part: UploadPart,
): Promise<UploadResult> {
  const mode = part.mode ?? modeOf(replaceable(folder, path))
  if (mode !== null) await handle.chmod(mode).catch((error) => refuseMode(error, part.mode))
  await handle.sync()
  const there = replaceable(folder, path)
  part.mayReplace(there)
  if (part.canceled.aborted) throw new Error('canceled before it was whole')
  renameSync(folder.at(basename(upload.temporary)), folder.at(basename(path)))
  await folder.flush()
  const facts = factsOf(await handle.stat({ bigint: true }))
  return { isWhole: true, created: there === null, facts, sha256: upload.hash!.digest('hex') }
}

/** The file that would be replaced; null: there is none. Throws CONFLICT where something else is. */
function replaceable(folder: Folder, path: string): FileFacts | null {
  const stat = lstatSync(folder.at(basename(path)), { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return null
  const facts = factsOf(stat)
  mustBe('file', facts.type, path)
  return facts
}

const modeOf = (there: FileFacts | null) => (there === null ? null : Number.parseInt(there.mode, 8) & 0o777)

/** Shared storage of a phone has no modes: only who asked for one hears of that. */
function refuseMode(error: NodeJS.ErrnoException, wanted: number | null): void {
  if (wanted !== null || error.code !== 'EPERM') throw error
}

const tooLong = (end: number, size: number) =>
  invalid(`body: expected to end at byte ${end}, got ${size} or more`, 'body')
