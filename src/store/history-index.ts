import type { Entry } from './history-open.ts'
import { runIdMs } from './ids.ts'
import type { Segments } from './segments.ts'

/** All segments together are held under this. */
const MAX_HISTORY_BYTES = 268_435_456
/** What the disk refused stays readable in memory, up to this. */
const MAX_MEMORY_CHARS = 8_388_608

/** Every ended run that history still knows, in the order in which they ended. */
export interface HistoryIndex {
  get(id: string): Entry | undefined
  add(id: string, entry: Entry): void
  ids(): IterableIterator<string>
  /** Forgets what is too old or too many, and what segments hold that nobody needs. */
  retain(): void
}

export interface IndexOptions {
  maxCount: number
  maxAgeMs: number
  /** null: in memory alone */
  segments: Segments | null
  now(): number
  /** a run that has files is known no longer */
  onForget(id: string): void
  /** does a run that is still going need this segment? */
  isLive(segment: number): boolean
  /** the lines of a segment that outlive its records */
  keyLines(segment: number): string[]
}

export const createHistoryIndex = (index: Map<string, Entry>, options: IndexOptions): HistoryIndex => {
  const { maxCount, maxAgeMs, segments, now, onForget, isLive, keyLines } = options
  let memoryChars = 0

  const forget = (id: string, entry: Entry): void => {
    index.delete(id)
    memoryChars -= entry.line?.length ?? 0
    if (entry.files) onForget(id)
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

  const emptySegment = (segment: number): void => {
    for (const [id, entry] of index) if (entry.segment === segment && entry.line === undefined) forget(id, entry)
    const lines = keyLines(segment)
    if (lines.length > 0 && Buffer.byteLength(lines.join('')) === segments!.bytes(segment)) return
    // a disk that will not now is asked again in an hour
    void segments!.replace(segment, lines).catch(() => undefined)
  }

  const retainSegments = (): void => {
    if (segments === null) return
    const used = new Set([...index.values()].map(({ segment }) => segment))
    const sizes = segments.numbers().map((segment) => ({ segment, bytes: segments.bytes(segment) }))
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { segment, bytes } of sizes.slice(0, -1)) {
      if (isLive(segment) || (used.has(segment) && total <= MAX_HISTORY_BYTES)) continue
      emptySegment(segment)
      total -= bytes
    }
  }

  return {
    get: (id) => index.get(id),
    add: (id, entry) => {
      index.set(id, entry)
      memoryChars += entry.line?.length ?? 0
      retainMemory()
      if (index.size > maxCount) retainEntries()
    },
    ids: () => index.keys(),
    retain: () => {
      retainEntries()
      retainSegments()
    },
  }
}
