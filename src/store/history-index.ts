import { type LineHead, scanLines } from './history-line.ts'
import { runIdMs } from './ids.ts'
import type { Segments } from './segments.ts'

/** All segments together are held under this. */
const MAX_HISTORY_BYTES = 268_435_456
/** What the disk refused stays readable in memory, up to this. */
const MAX_MEMORY_CHARS = 8_388_608

/** Where the end line of a run is: in a segment, or (the disk refused it) in memory. */
export interface Entry {
  status: string
  segment: number
  offset: number
  length: number
  /** is there anything in runs/ for it? */
  files: boolean
  line?: string
}

export interface IndexLimits {
  maxCount: number
  maxAgeMs: number
}

/** Every ended run that history still knows, in the order in which they ended. */
export interface HistoryIndex {
  get(id: string): Entry | undefined
  add(id: string, entry: Entry): void
  ids(): IterableIterator<string>
  /** Resolves when older segments have been read too. */
  ready: Promise<void>
  /** Forgets what is too old or too many, and the segments that nobody needs. */
  retain(): void
}

const toEntry = (segment: number, { status, files, offset, length }: LineHead): Entry => ({
  status,
  files,
  segment,
  offset,
  length,
})

/** `heads`: what opening has read already, newest segments only; the others are read in the background. */
export const createHistoryIndex = (
  segments: Segments | null,
  heads: { segment: number; head: LineHead }[],
  { maxCount, maxAgeMs }: IndexLimits,
  now: () => number,
  onForget: (id: string) => void,
): HistoryIndex => {
  let index = new Map<string, Entry>()
  let whole = false
  let memoryChars = 0
  for (const { segment, head } of heads) if (head.kind === 'end') index.set(head.id, toEntry(segment, head))

  const forget = (id: string, entry: Entry): void => {
    index.delete(id)
    memoryChars -= entry.line?.length ?? 0
    if (entry.files) onForget(id)
  }

  const loadOlder = async (): Promise<void> => {
    if (segments === null) return
    const read = new Set(heads.map(({ segment }) => segment))
    const newest = segments.numbers().slice(-2)
    const older = new Map<string, Entry>()
    for (const segment of segments.numbers().filter((number) => !read.has(number) && !newest.includes(number))) {
      const bytes = await segments.read(segment).catch(() => Buffer.alloc(0))
      for (const head of scanLines(bytes)) if (head.kind === 'end') older.set(head.id, toEntry(segment, head))
    }
    for (const [id, entry] of index) older.set(id, entry)
    index = older
  }

  const retainEntries = (): void => {
    const oldestMs = now() - maxAgeMs
    for (const [id, entry] of index) {
      if (index.size <= maxCount && runIdMs(id) >= oldestMs) return
      forget(id, entry)
    }
  }

  /** Only what the disk refused is in memory; what lies on it stays known. */
  const retainMemory = (): void => {
    for (const [id, entry] of index) {
      if (memoryChars <= MAX_MEMORY_CHARS) return
      if (entry.line !== undefined) forget(id, entry)
    }
  }

  const dropSegment = (segment: number): void => {
    for (const [id, entry] of index) if (entry.segment === segment && entry.line === undefined) forget(id, entry)
    void segments?.remove(segment).catch(() => undefined)
  }

  /** The newest stays, and so does the one before it: opening reads both. */
  const retainSegments = (): void => {
    if (segments === null) return
    const used = new Set([...index.values()].map(({ segment }) => segment))
    const sizes = segments.numbers().map((segment) => ({ segment, bytes: segments.bytes(segment) }))
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { segment, bytes } of sizes.slice(0, -2)) {
      if (used.has(segment) && total <= MAX_HISTORY_BYTES) continue
      dropSegment(segment)
      total -= bytes
    }
  }

  const retain = (): void => {
    if (!whole) return
    retainEntries()
    retainSegments()
  }

  const ready = new Promise<void>((resolve) => setImmediate(resolve)).then(loadOlder).then(() => {
    whole = true
    retain()
  })

  return {
    get: (id) => index.get(id),
    add: (id, entry) => {
      index.set(id, entry)
      memoryChars += entry.line?.length ?? 0
      retainMemory()
      if (whole && index.size > maxCount) retainEntries()
    },
    ids: () => index.keys(),
    ready,
    retain,
  }
}
