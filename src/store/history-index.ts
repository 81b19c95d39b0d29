import type { Entry } from './history-open.ts'
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
  /** the time by which ages are counted */
  ageNow(): number
  /** a run that has files is known no longer */
  onForget(id: string): void
  /** a segment is about to be forgotten: what of it must stay? */
  onForgetSegment(segment: number): void
}

export const createHistoryIndex = (index: Map<string, Entry>, options: IndexOptions): HistoryIndex => {
  const { maxCount, maxAgeMs, segments, ageNow, onForget } = options
  let memoryChars = 0

  const forget = (id: string, entry: Entry): void => {
    index.delete(id)
    memoryChars -= entry.line?.length ?? 0
    if (entry.files) onForget(id)
  }

  const retainEntries = (): void => {
    const oldestMs = ageNow() - maxAgeMs
    for (const [id, entry] of index) {
      if (index.size <= maxCount && entry.ageMs >= oldestMs) return
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

  const forgetSegment = (segment: number): void => {
    for (const [id, entry] of index) if (entry.segment === segment && entry.line === undefined) forget(id, entry)
    options.onForgetSegment(segment)
    segments!.forgetFirst()
  }

  /** From the oldest on, so that a number that is not there tells of a loss. */
  const retainSegments = (): void => {
    if (segments === null) return
    const used = new Set([...index.values()].map(({ segment }) => segment))
    const sizes = segments.numbers().map((segment) => ({ segment, bytes: segments.bytes(segment) }))
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { segment, bytes } of sizes.slice(0, -1)) {
      if (used.has(segment) && total <= MAX_HISTORY_BYTES) return
      forgetSegment(segment)
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
