import { createHash, type Hash } from 'node:crypto'
import { readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isTemporaryName, ShellphoneError, temporaryName } from '../../shared/schema/index.ts'

/** Limits on unfinished uploads that no request is writing: number, total bytes and age. The oldest are removed first. */
const MAX_UNFINISHED = 32
const MAX_UNFINISHED_BYTES = 17_179_869_184
const MAX_AGE_MS = 86_400_000
const SWEEP_EVERY_MS = 3_600_000

/** A file that is being uploaded; the bytes received so far are in a temporary file next to the target. */
export interface Upload {
  readonly id: string
  /** absolute path of the temporary file */
  readonly temporary: string
  /** whether it can be resumed after a dropped connection */
  readonly isKeyed: boolean
  bytes: number
  /** hash of those bytes; null: they have not been hashed since the service started */
  hash: Hash | null
}

interface UploadEntry extends Upload {
  /** when it was last written, in ms since 1970 */
  at: number
  /** the request that is writing it: how to stop the request, and a promise that resolves when it has stopped */
  writer: { stop(): void; stopped: Promise<void> } | null
}

/** All unfinished uploads. Even after a crash, they are eventually removed. */
export interface Uploads {
  /** Finds the unfinished upload with this key and stops a request that is still writing it; null: there is no such upload. */
  find(key: string): Promise<Upload | null>
  /** Starts an upload; `stop` must make its writer stop. `key` null: it cannot be resumed. Removes an older upload with the same key. */
  begin(key: string | null, folder: string, stop: () => void): Promise<Upload>
  /** Resumes an upload that was found. Throws CONFLICT if another request has resumed it. */
  resume(upload: Upload, stop: () => void): void
  /** Call when writing stops: keeps the upload for its client if it can be resumed, otherwise removes it. */
  leave(upload: Upload): void
  /** Call when the upload is over: the file has its final name or must be removed. */
  end(upload: Upload): void
}

/** A path for an incomplete file, whose name cannot clash with a user's file. */
const temporaryIn = (folder: string): string => join(folder, temporaryName())
/** Whether the path is one of our incomplete files. */
export const isTemporary = (path: string) => isTemporaryName(basename(path))

/** Identifies the upload of one client to one target, so that no other client can resume it. */
export const uploadKey = (...parts: (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** Opens the list of uploads in `directory`, which includes those of a service that crashed. */
export const createUploads = (directory: string): Uploads => new UploadList(join(directory, 'uploads.json'))

class UploadList implements Uploads {
  readonly #entries: Map<string, UploadEntry>
  readonly #ends = new Map<UploadEntry, () => void>()
  #timer: NodeJS.Timeout | null = null

  constructor(private readonly file: string) {
    this.#entries = new Map(readEntries(file).map((entry) => [entry.id, entry]))
    this.#sweep()
  }

  async find(key: string): Promise<Upload | null> {
    for (let entry = this.#entries.get(key); entry; entry = this.#entries.get(key)) {
      if (entry.writer === null) return entry
      entry.writer.stop()
      await entry.writer.stopped
    }
    return null
  }

  async begin(key: string | null, folder: string, stop: () => void): Promise<Upload> {
    for (let before = this.#entries.get(key ?? ''); before; before = this.#entries.get(key ?? '')) {
      if (before.writer === null) this.#remove(before)
      else await this.find(before.id)
    }
    const temporary = temporaryIn(folder)
    const upload = { id: key ?? temporary, temporary, isKeyed: key !== null, bytes: 0, hash: createHash('sha256') }
    const entry: UploadEntry = { ...upload, at: Date.now(), writer: null }
    this.#entries.set(entry.id, entry)
    this.#claim(entry, stop)
    this.#save()
    return entry
  }

  resume(upload: Upload, stop: () => void): void {
    const entry = upload as UploadEntry
    const isFree = entry.writer === null && this.#entries.get(entry.id) === entry
    if (!isFree) {
      throw new ShellphoneError('CONFLICT', 'Content-Range: another request has resumed this upload', {
        field: 'Content-Range',
      })
    }
    this.#claim(entry, stop)
  }

  leave(upload: Upload): void {
    const entry = upload as UploadEntry
    if (!entry.isKeyed || entry.bytes === 0) this.#remove(entry)
    entry.at = Date.now()
    this.#finish(entry)
    this.#sweep()
    this.#save()
  }

  end(upload: Upload): void {
    this.#remove(upload as UploadEntry)
    this.#save()
  }

  #claim(entry: UploadEntry, stop: () => void): void {
    const over = new Promise<void>((resolve) => this.#ends.set(entry, resolve))
    entry.writer = { stop, stopped: over }
  }

  #finish(entry: UploadEntry): void {
    entry.writer = null
    this.#ends.get(entry)?.()
    this.#ends.delete(entry)
  }

  #remove(entry: UploadEntry): void {
    if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id)
    remove(entry.temporary)
    this.#finish(entry)
  }

  /** Removes overdue uploads, now and every hour while any is unfinished. */
  #sweep(): void {
    if (this.#timer) clearTimeout(this.#timer)
    for (const entry of overdue([...this.#entries.values()])) this.#remove(entry)
    const isAnyUnfinished = [...this.#entries.values()].some(({ writer }) => writer === null)
    const again = () => {
      this.#sweep()
      this.#save()
    }
    this.#timer = isAnyUnfinished ? setTimeout(again, SWEEP_EVERY_MS).unref() : null
  }

  #save(): void {
    writeEntries(this.file, [...this.#entries.values()])
  }
}

/** The unfinished uploads beyond the limits. */
function overdue(entries: UploadEntry[]): UploadEntry[] {
  const unfinished = entries.filter(({ writer }) => writer === null).sort((a, b) => b.at - a.at)
  let bytes = 0
  return unfinished.filter((entry, index) => {
    bytes += entry.bytes
    return index >= MAX_UNFINISHED || bytes > MAX_UNFINISHED_BYTES || Date.now() - entry.at > MAX_AGE_MS
  })
}

/** The uploads of the previous service. Those that cannot be resumed are overdue immediately. After a crash, only the file's size shows how many bytes have arrived. */
function readEntries(file: string): UploadEntry[] {
  try {
    const rows = JSON.parse(readFileSync(file, 'utf8')) as UploadEntry[]
    return rows
      .filter(({ temporary }) => isTemporary(temporary))
      .map((row) => ({ ...row, bytes: sizeOf(row.temporary), at: row.isKeyed ? row.at : 0, hash: null, writer: null }))
  } catch {
    return [] // the list is missing or damaged, so we do not know which files are ours
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function writeEntries(file: string, entries: UploadEntry[]): void {
  const rows = entries.map(({ id, temporary, isKeyed, bytes, at }) => ({ id, temporary, isKeyed, bytes, at }))
  try {
    writeFileSync(`${file}.new`, JSON.stringify(rows), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // the disk is full; after a crash, the name of a leftover file still shows that it is ours
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // it was renamed or removed
  }
}
