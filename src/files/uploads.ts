import { createHash, type Hash, randomBytes } from 'node:crypto'
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { conflict } from './trouble.ts'

/** Uploads that were cut and wait for their clients: in number, bytes in all, and age. The oldest go first. */
const MAX_KEPT = 32
const MAX_KEPT_BYTES = 17_179_869_184
const MAX_AGE_MS = 86_400_000

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

interface Entry extends Upload {
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
export const temporaryIn = (folder: string): string =>
  join(folder, `.shellphone-${randomBytes(8).toString('hex')}.part`)
/** Is it a file of ours that is not whole? */
export const isTemporary = (path: string) => /^\.shellphone-[0-9a-f]{16}\.part$/.test(basename(path))

/** A name for what one client uploads to one place; nobody else can go on with it. */
export const uploadKey = (...parts: (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** `directory`: where the list of them is kept; those of a dead service are found in it. */
export function createUploads(directory: string): Uploads {
  const file = join(directory, 'uploads.json')
  const entries = new Map<string, Entry>(readEntries(file).map((entry) => [entry.id, entry]))
  const ends = new Map<Entry, () => void>()
  let timer: NodeJS.Timeout | null = null

  const save = () => writeEntries(file, [...entries.values()])
  const end = (entry: Entry) => {
    if (entries.get(entry.id) === entry) entries.delete(entry.id)
    remove(entry.temporary)
    finish(entry)
  }
  const finish = (entry: Entry) => {
    entry.writer = null
    ends.get(entry)?.()
    ends.delete(entry)
  }
  const claim = (entry: Entry, stop: () => void) => {
    const over = new Promise<void>((resolve) => ends.set(entry, resolve))
    entry.writer = { stop, over }
  }
  const sweep = () => {
    if (timer) clearTimeout(timer)
    for (const entry of overdue([...entries.values()])) end(entry)
    const isAnyKept = [...entries.values()].some(({ writer }) => writer === null)
    timer = isAnyKept ? setTimeout(sweepAndSave, MAX_AGE_MS / 24).unref() : null
  }
  const sweepAndSave = () => {
    sweep()
    save()
  }
  const find = async (key: string) => {
    for (let entry = entries.get(key); entry; entry = entries.get(key)) {
      if (entry.writer === null) return entry
      entry.writer.stop()
      await entry.writer.over
    }
    return null
  }
  sweep()
  return {
    find,
    async begin(key, folder, stop) {
      for (let before = entries.get(key ?? ''); before; before = entries.get(key ?? '')) {
        if (before.writer === null) end(before)
        else await find(before.id)
      }
      const temporary = temporaryIn(folder)
      const entry = { id: key ?? temporary, temporary, isKeyed: key !== null, bytes: 0, hash: createHash('sha256') }
      const held: Entry = { ...entry, at: Date.now(), writer: null }
      entries.set(held.id, held)
      claim(held, stop)
      save()
      return held
    },
    resume(upload, stop) {
      const entry = upload as Entry
      if (entry.writer !== null || entries.get(entry.id) !== entry) throw conflict('another request goes on with it')
      claim(entry, stop)
    },
    leave(upload) {
      const entry = upload as Entry
      if (!entry.isKeyed || entry.bytes === 0) end(entry)
      entry.at = Date.now()
      finish(entry)
      sweepAndSave()
    },
    end(upload) {
      end(upload as Entry)
      save()
    },
  }
}

/** Those that wait and are too many, too old or too large together. */
function overdue(entries: Entry[]): Entry[] {
  const kept = entries.filter(({ writer }) => writer === null).sort((a, b) => b.at - a.at)
  let bytes = 0
  return kept.filter((entry, index) => {
    bytes += entry.bytes
    return index >= MAX_KEPT || bytes > MAX_KEPT_BYTES || Date.now() - entry.at > MAX_AGE_MS
  })
}

/** What a former life left; those that cannot go on are swept at once. */
function readEntries(file: string): Entry[] {
  try {
    const rows = JSON.parse(readFileSync(file, 'utf8')) as Entry[]
    return rows
      .filter(({ temporary }) => isTemporary(temporary))
      .map((row) => ({ ...row, at: row.isKeyed ? row.at : 0, hash: null, writer: null }))
  } catch {
    return [] // there is no list, or it is damaged: what it named is not ours to look for
  }
}

function writeEntries(file: string, entries: Entry[]): void {
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
