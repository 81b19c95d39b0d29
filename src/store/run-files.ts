import fs from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Stream } from '../schema/index.ts'
import { makeFolder } from './folder.ts'
import { streams } from './output.ts'

const pathOf = (folder: string, id: string, stream: Stream): string => path.join(folder, `${id}.${stream}`)

/** Removes what there is of a run. */
export const removeRunFiles = (folder: string, id: string): Promise<unknown> =>
  Promise.all(streams.map((stream) => rm(pathOf(folder, id, stream), { force: true })))

/** Size of a run's file now; 0 when it is gone. */
export const runFileBytes = (folder: string, id: string, stream: Stream): number =>
  fs.statSync(pathOf(folder, id, stream), { throwIfNoEntry: false })?.size ?? 0

/** Reads at most `limit` bytes at `offset` of a closed run's stream. Throws as fs does (ENOENT: swept). */
export async function readRunFile(folder: string, id: string, stream: Stream, offset: number, limit: number) {
  const handle = await open(pathOf(folder, id, stream), 'r')
  try {
    return await readAt(handle, offset, limit)
  } finally {
    await handle.close()
  }
}

async function readAt(handle: FileHandle, offset: number, limit: number): Promise<Buffer> {
  const target = Buffer.allocUnsafe(limit)
  const { bytesRead } = await handle.read(target, 0, limit, offset)
  return target.subarray(0, bytesRead)
}

/** `<folder>/<id>.stdout` and `.stderr` (0600) of a running run. Made by the first write; every verb throws as fs does. */
export class RunFiles {
  readonly #handles: Partial<Record<Stream, Promise<FileHandle>>> = {}
  #isClosed = false

  constructor(
    readonly folder: string,
    readonly id: string,
  ) {}

  async write(stream: Stream, pieces: Buffer[], offset: number): Promise<number> {
    // a write that the disk held up comes after the end: it must not open the file again
    if (this.#isClosed) throw new Error('the run has ended')
    this.#handles[stream] ??= this.#make(stream)
    const handle = await this.#handles[stream]
    return (await handle.writev(pieces, offset)).bytesWritten
  }

  #make(stream: Stream): Promise<FileHandle> {
    makeFolder(this.folder) // somebody may have deleted it
    return open(pathOf(this.folder, this.id, stream), 'wx+', 0o600)
  }

  async read(stream: Stream, offset: number, limit: number): Promise<Buffer> {
    const handle = await this.#handles[stream]
    return handle ? readAt(handle, offset, limit) : readRunFile(this.folder, this.id, stream, offset, limit)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const stream of streams) {
      const handle = this.#handles[stream]
      delete this.#handles[stream]
      await handle?.then((opened) => opened.close()).catch(() => undefined)
    }
  }
}
