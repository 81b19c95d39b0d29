import fs from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Stream } from '../../shared/schema/index.ts'
import { makeFolder, readBytes } from './make-folder.ts'
import { streams } from './output.ts'

/** The output of each stream and, during the run, the checksums of complete blocks, which verify the output after a crash. */
type RunFileKind = Stream | 'sums'

const pathOf = (folder: string, id: string, kind: RunFileKind): string => path.join(folder, `${id}.${kind}`)

/** Removes the files of a run. */
export const removeRunFiles = (folder: string, id: string): Promise<unknown> =>
  Promise.all([...streams, 'sums' as const].map((kind) => rm(pathOf(folder, id, kind), { force: true })))

/** Removes the checksum file of a run, once history contains the checksums. */
export const removeSums = (folder: string, id: string): void =>
  fs.rm(pathOf(folder, id, 'sums'), { force: true }, () => undefined)

/** The current size of a run's file; 0 if it is missing. */
export const runFileBytes = (folder: string, id: string, stream: Stream): number =>
  fs.statSync(pathOf(folder, id, stream), { throwIfNoEntry: false })?.size ?? 0

/** The written checksums of an interrupted stream; null: none. Throws as fs does. */
export function readSums(folder: string, id: string, stream: Stream): string | null {
  const file = pathOf(folder, id, 'sums')
  if (!fs.existsSync(file)) return null
  const lines = fs.readFileSync(file, 'latin1').matchAll(/^(stdout|stderr) ([0-9a-f]{8})$/gm)
  return [...lines].flatMap(([, name, digits]) => (name === stream ? digits! : [])).join('')
}

/** Reads at most `length` bytes of an interrupted run's stream from `offset` on. Throws as fs does. */
export const readPiece = (folder: string, id: string, stream: Stream, offset: number, length: number): Buffer =>
  readBytes(pathOf(folder, id, stream), offset, length)

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

/** The files (0600) of a live run: `<folder>/<id>.stdout`, `.stderr`, `.sums`. The first write creates them; every method throws as fs does. */
export class RunFiles {
  readonly #handles: Partial<Record<RunFileKind, Promise<FileHandle>>> = {}
  #sumsBytes = 0
  #isClosed = false

  constructor(
    readonly folder: string,
    readonly id: string,
  ) {}

  async write(kind: RunFileKind, pieces: Buffer[], offset: number): Promise<number> {
    // a delayed write may come after the end: it must not open the file again
    if (this.#isClosed) throw new Error('the run has ended')
    this.#handles[kind] ??= this.#make(kind)
    const handle = await this.#handles[kind]
    return (await handle.writev(pieces, offset)).bytesWritten
  }

  /** `sums`: eight digits for each block of the stream that is now complete */
  async writeSums(stream: Stream, sums: string): Promise<void> {
    const lines = sums.match(/.{8}/g)!.map((digits) => `${stream} ${digits}\n`)
    this.#sumsBytes += await this.write('sums', [Buffer.from(lines.join(''))], this.#sumsBytes)
  }

  #make(kind: RunFileKind): Promise<FileHandle> {
    makeFolder(this.folder) // another program may have deleted it
    return open(pathOf(this.folder, this.id, kind), 'wx+', 0o600)
  }

  async read(stream: Stream, offset: number, limit: number): Promise<Buffer> {
    const handle = await this.#handles[stream]
    return handle ? readAt(handle, offset, limit) : readRunFile(this.folder, this.id, stream, offset, limit)
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const kind of [...streams, 'sums'] as const) {
      const handle = this.#handles[kind]
      delete this.#handles[kind]
      await handle?.then((opened) => opened.close()).catch(() => undefined)
    }
  }
}
