import { constants, lstatSync, renameSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type FileFacts, invalid, ShellphoneError } from '../../shared/schema/index.ts'
import { factsOf } from './facts.ts'
import { checkOpenedPath, type Folder, openFolder } from './folder.ts'
import { hashOf, requireType } from './open-file.ts'
import { withFileErrors, tooLarge } from './file-errors.ts'
import type { Upload, Uploads } from './uploads.ts'

/** The part of a file that one request sends. */
export interface UploadPart {
  /** identifies the upload, so that it can be resumed; null: it cannot be resumed */
  key: string | null
  /** the offset of the first byte of this part */
  start: number
  /** length of this part in bytes; null: unknown */
  length: number | null
  /** size of the whole file in bytes; null: this part is the whole file */
  total: number | null
  bytes: AsyncIterable<Buffer>
  /** a larger file throws TOO_LARGE; null: no limit */
  maxBytes: number | null
  /** permissions; null: those of the replaced file, or those that the umask allows */
  mode: number | null
  /** Throws if the existing file may not be replaced; null: no file exists. */
  checkReplaced(existing: FileFacts | null): void
  /** ends `bytes` */
  stop(): void
  canceled: AbortSignal
}

/** Either the file is complete and has its name, or `bytes` of it have arrived and the rest is missing. */
type UploadResult =
  | { isWhole: true; created: boolean; facts: FileFacts; sha256: string }
  | { isWhole: false; bytes: number }

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants

/** How many bytes of an upload have arrived. Stops a request that is still sending it. */
export async function uploadedBytes(key: string, uploads: Uploads): Promise<number> {
  return (await uploads.find(key))?.bytes ?? 0
}

/**
 * Writes a file under a temporary name next to the target, flushes it and renames it in one step: readers see either the old file or the
 * complete new one. Of two concurrent writers, the last one wins. An upload with a key can be resumed after a dropped connection.
 */
export function writeFile(path: string, part: UploadPart, uploads: Uploads): Promise<UploadResult> {
  return withFileErrors(path, async () => {
    const directory = dirname(path)
    const folder = await withFileErrors(directory, () => openFolder(directory))
    try {
      part.checkReplaced(replaceable(folder, path))
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
    await receiveBytes(handle, upload, part)
    if (part.total !== null && upload.bytes < part.total) {
      uploads.leave(upload)
      return { isWhole: false, bytes: upload.bytes }
    }
    const written = await renameToTarget(handle, folder, path, upload, part)
    uploads.end(upload)
    return written
  } catch (error) {
    if (isCutOff(error)) uploads.leave(upload)
    else uploads.end(upload)
    throw error
  } finally {
    await handle?.close()
  }
}

/** Whether the client stopped sending, so that it may send the rest later; false if the disk or the service refused the data. */
const isCutOff = (error: unknown) => !(error instanceof ShellphoneError) && !('syscall' in (error as object))

async function uploadFor(folder: Folder, { key, start, stop }: UploadPart, uploads: Uploads): Promise<Upload> {
  const found = key === null || start === 0 ? null : await uploads.find(key)
  if (start !== (found?.bytes ?? 0)) {
    throw new ShellphoneError('CONFLICT', `Content-Range: expected to continue at ${found?.bytes ?? 0}, got ${start}`, {
      field: 'Content-Range',
    })
  }
  if (found === null) return uploads.begin(key, folder.path, stop)
  uploads.resume(found, stop)
  return found
}

async function openTemporary(folder: Folder, upload: Upload, { mode, canceled }: UploadPart): Promise<FileHandle> {
  const isNew = upload.bytes === 0
  const flags = isNew ? O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW : O_RDWR | O_NOFOLLOW
  // a request that resumes the upload opens the file again, so its owner needs both rights until the file is complete
  const createMode = mode === null ? 0o666 : (mode & 0o777) | 0o600
  const handle = await open(folder.at(basename(upload.temporary)), flags, createMode)
  if (isNew) return handle
  try {
    checkOpenedPath(handle.fd, upload.temporary)
    await handle.truncate(upload.bytes)
    upload.hash ??= await hashOf(handle, upload.bytes, upload.temporary, canceled) // these bytes arrived before the service started
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Counts only bytes that have been written and hashed, so that the count is right whenever the client stops. */
async function receiveBytes(handle: FileHandle, upload: Upload, part: UploadPart): Promise<void> {
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

/** Writes all of a chunk at an offset. */
export async function writeAll(handle: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let at = 0; at < chunk.length;) {
    at += (await handle.write(chunk, at, chunk.length - at, position + at)).bytesWritten
  }
}

/** Renames the file to its target; no other request can run between the check of the target and the rename. */
async function renameToTarget(
  handle: FileHandle,
  folder: Folder,
  path: string,
  upload: Upload,
  part: UploadPart,
): Promise<UploadResult> {
  const mode = part.mode ?? replaceableMode(folder, path)
  if (mode !== null) await handle.chmod(mode).catch((error) => refuseMode(error, part.mode))
  await handle.sync()
  const existing = replaceable(folder, path)
  part.checkReplaced(existing)
  if (part.canceled.aborted) throw new Error('canceled before the file was complete')
  renameSync(folder.at(basename(upload.temporary)), folder.at(basename(path)))
  await folder.flush()
  const facts = factsOf(await handle.stat({ bigint: true }))
  return { isWhole: true, created: existing === null, facts, sha256: upload.hash!.digest('hex') }
}

/** The file that would be replaced; null: no such file. Throws CONFLICT if the name belongs to something else. */
export function replaceable(folder: Folder, path: string): FileFacts | null {
  const stat = lstatSync(folder.at(basename(path)), { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return null
  const facts = factsOf(stat)
  requireType('file', facts.type, path)
  return facts
}

/** The permissions of a file. */
export const modeOf = ({ mode }: FileFacts): number => Number.parseInt(mode, 8) & 0o777

/** The permissions of the file that would be replaced; null: no such file. Throws CONFLICT if the name belongs to something else. */
export function replaceableMode(folder: Folder, path: string): number | null {
  const existing = replaceable(folder, path)
  return existing && modeOf(existing)
}

/** A phone's shared storage does not support permissions, which is an error only if the request sets them. */
export function refuseMode(error: NodeJS.ErrnoException, wanted: number | null): void {
  if (wanted !== null || error.code !== 'EPERM') throw error
}

const tooLong = (end: number, size: number) =>
  invalid(`body: expected ${end} bytes at most, got at least ${size}`, 'body')
