import fs from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Stream } from '../schema/index.ts'
import { isMissing, makeFolder } from './folder.ts'
import { streams } from './order-list.ts'

const OWNER_ONLY = 0o600

export const runFilePath = (folder: string, id: string, stream: Stream): string => path.join(folder, `${id}.${stream}`)

/** Removes what there is of a run. */
export const removeRunFiles = async (folder: string, id: string): Promise<void> => {
  await Promise.all(streams.map((stream) => rm(runFilePath(folder, id, stream), { force: true })))
}

/** Size of a run's file now; 0 when it is gone. */
export const runFileBytes = (folder: string, id: string, stream: Stream): number =>
  fs.statSync(runFilePath(folder, id, stream), { throwIfNoEntry: false })?.size ?? 0

/** The runs that have files; throws as fs does. */
export const runsWithFiles = (folder: string): Set<string> =>
  new Set(fs.readdirSync(folder).map((name) => name.slice(0, name.indexOf('.'))))

/** Reads at most `limit` bytes at `offset` of a closed run's stream. Throws as fs does (ENOENT: swept). */
export const readRunFile = async (
  folder: string,
  id: string,
  stream: Stream,
  offset: number,
  limit: number,
): Promise<Buffer> => {
  const handle = await open(runFilePath(folder, id, stream), 'r')
  try {
    return await readAt(handle, offset, limit)
  } finally {
    await handle.close()
  }
}

const readAt = async (handle: FileHandle, offset: number, limit: number): Promise<Buffer> => {
  const target = Buffer.allocUnsafe(limit)
  const { bytesRead } = await handle.read(target, 0, limit, offset)
  return target.subarray(0, bytesRead)
}

/** The two data files of a running run. Made by the first write; every verb throws as fs does. */
export interface RunFiles {
  write(stream: Stream, pieces: Buffer[], offset: number): Promise<number>
  read(stream: Stream, offset: number, limit: number): Promise<Buffer>
  close(): Promise<void>
}

/** Opens for writing; a folder that somebody deleted is made again, once. */
const openForWriting = async (folder: string, id: string, stream: Stream): Promise<FileHandle> => {
  const flags = fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL
  const file = runFilePath(folder, id, stream)
  try {
    return await open(file, flags, OWNER_ONLY)
  } catch (error) {
    if (!isMissing(error)) throw error
    makeFolder(folder)
    return open(file, flags, OWNER_ONLY)
  }
}

/** `<folder>/<id>.stdout` and `.stderr`, mode 0600. */
export const createRunFiles = (folder: string, id: string): RunFiles => {
  const handles: Partial<Record<Stream, Promise<FileHandle>>> = {}
  let isClosed = false
  const handleOf = (stream: Stream): Promise<FileHandle> => {
    // a write that the disk held up comes after the end: it must not open the file again
    if (isClosed) throw new Error('the run has ended')
    handles[stream] ??= openForWriting(folder, id, stream)
    return handles[stream]
  }
  return {
    write: async (stream, pieces, offset) => (await (await handleOf(stream)).writev(pieces, offset)).bytesWritten,
    read: async (stream, offset, limit) => {
      const handle = await handles[stream]
      return handle ? readAt(handle, offset, limit) : readRunFile(folder, id, stream, offset, limit)
    },
    close: async () => {
      isClosed = true
      const opened = Object.values(handles)
      for (const stream of streams) delete handles[stream]
      await Promise.allSettled(opened.map(async (handle) => (await handle).close()))
    },
  }
}
