import { createHash, type Hash } from 'node:crypto'
import { readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isTemporaryName, temporaryName } from '../../shared/schema/index.ts'
import { conflict } from './file-errors.ts'

/** Uploads that were cut and wait for their clients: in number, bytes in all, and age. The oldest go first. */
const MAX_KEPT = 32
const MAX_KEPT_BYTES = 17_179_869_184
const MAX_AGE_MS = 86_400_000
const SWEEP_EVERY_MS = 3_600_000

/** A file on its way: what has come of it lies under a temporary name beside its place. */
export interface Upload {
  readonly id: string
  /** absolute */
  readonly temporary: string
  /** can it go on after a cut? */
  readonly isKeyed: boolean
  bytes: number
  /** of those bytes; null: it has not seen them */
  hash: Hash | null
}

interface UploadEntry extends Upload {
  /** since 1970, when it was last written */
  at: number
  /** whoever writes it now: how to stop that, and its end */
  writer: { stop(): void; over: Promise<void> } | null
}

/** Every upload that is not whole: none is left behind, by a crash either. */
export interface Uploads {
  /** The one of this key once nobody writes it any more, whoever does is stopped; null: none waits. */
  find(key: string): Promise<Upload | null>
  /** From now on `stop` ends its writing; `key` null: it does not outlive a cut. An older one of the same key goes. */
  begin(key: string | null, folder: string, stop: () => void): Promise<Upload>
  /** Goes on with one that was found. Throws CONFLICT where somebody else has begun to. */
  resume(upload: Upload, stop: () => void): void
  /** Its writing has ended: it waits for its client where it can go on, else it goes. */
  leave(upload: Upload): void
  /** It has its name, or goes. */
  end(upload: Upload): void
}

/** A path for what is not whole yet, which no file of the user's has. */
const temporaryIn = (folder: string): string => join(folder, temporaryName())
/** Is it a file of ours that is not whole? */
export const isTemporary = (path: string) => isTemporaryName(basename(path))

/** A name for what one client uploads to one place; nobody else can go on with it. */
export const uploadKey = (...parts: (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** `directory`: where the list of them is kept; those of a dead service are found in it. */
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
      await entry.writer.over
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
    if (!isFree) throw conflict('another request goes on with it')
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
    entry.writer = { stop, over }
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

  /** What is overdue goes, now and every hour while any waits. */
  #sweep(): void {
    if (this.#timer) clearTimeout(this.#timer)
    for (const entry of overdue([...this.#entries.values()])) this.#remove(entry)
    const isAnyKept = [...this.#entries.values()].some(({ writer }) => writer === null)
    const again = () => {
      this.#sweep()
      this.#save()
    }
    this.#timer = isAnyKept ? setTimeout(again, SWEEP_EVERY_MS).unref() : null
  }

  #save(): void {
    writeEntries(this.file, [...this.#entries.values()])
  }
}

/** Those that wait and are too many, too old or too large together. */
function overdue(entries: UploadEntry[]): UploadEntry[] {
  const kept = entries.filter(({ writer }) => writer === null).sort((a, b) => b.at - a.at)
  let bytes = 0
  return kept.filter((entry, index) => {
    bytes += entry.bytes
    return index >= MAX_KEPT || bytes > MAX_KEPT_BYTES || Date.now() - entry.at > MAX_AGE_MS
  })
}

/** What a former life left; those that cannot go on are swept at once. A crash left no count of bytes: the file says how many have come. */
function readEntries(file: string): UploadEntry[] {
  try {
    const rows = JSON.parse(readFileSync(file, 'utf8')) as UploadEntry[]
    return rows
      .filter(({ temporary }) => isTemporary(temporary))
      .map((row) => ({ ...row, bytes: sizeOf(row.temporary), at: row.isKeyed ? row.at : 0, hash: null, writer: null }))
  } catch {
    return [] // there is no list, or it is damaged: what it named is not ours to look for
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function writeEntries(file: string, entries: UploadEntry[]): void {
  const rows = entries.map(({ id, temporary, isKeyed, bytes, at }) => ({ id, temporary, isKeyed, bytes, at }))
  try {
    writeFileSync(`${file}.new`, JSON.stringify(rows), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // a full disk: what a crash would leave behind then is a file that says whose it is
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // it has its name, or has gone
  }
}
