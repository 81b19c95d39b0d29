import type { Entry } from './history-open.ts'
import type { Segments } from './segments.ts'

/** All segments together are held under this. */
const MAX_HISTORY_BYTES = 268_435_456
/** What the disk refused stays readable in memory, up to this. */
const MAX_MEMORY_CHARS = 8_388_608

export interface IndexOptions {
  maxCount: number
  maxAgeMs: number
  /** the time by which ages are counted */
  ageNowMs(): number
  /** a run that has files is known no longer */
  onForget(id: string): void
  /** a segment is about to be forgotten: what of it must stay? */
  onForgetSegment(segment: number): void
}

/** Every ended run that history still knows, in the order in which they ended. */
export class HistoryIndex {
  #memoryChars = 0

  constructor(
    private readonly entries: Map<string, Entry>,
    private readonly options: IndexOptions,
  ) {}

  get(id: string): Entry | undefined {
    return this.entries.get(id)
  }

  ids(): Iterable<string> {
    return this.entries.keys()
  }

  add(id: string, entry: Entry): void {
    this.entries.set(id, entry)
    this.#memoryChars += entry.line?.length ?? 0
    if (this.#memoryChars > MAX_MEMORY_CHARS) this.#retainMemory()
    if (this.entries.size > this.options.maxCount) this.retain()
  }

  #forget(id: string, entry: Entry): void {
    this.entries.delete(id)
    this.#memoryChars -= entry.line?.length ?? 0
    if (entry.files) this.options.onForget(id)
  }

  /** Forgets what is too old or too many. */
  retain(): void {
    const { maxCount, maxAgeMs, ageNowMs } = this.options
    const oldestMs = ageNowMs() - maxAgeMs
    for (const [id, entry] of this.entries) {
      if (this.entries.size <= maxCount && entry.ageMs >= oldestMs) return
      this.#forget(id, entry)
    }
  }

  /** Only what the disk refused is in memory; what lies on it stays known. */
  #retainMemory(): void {
    for (const [id, entry] of this.entries) {
      if (this.#memoryChars <= MAX_MEMORY_CHARS) return
      if (entry.line !== undefined) this.#forget(id, entry)
    }
  }

  /** Forgets the segments that nobody needs: from the oldest on, so that a number that is not there tells of a loss. */
  retainSegments(segments: Segments): void {
    const used = new Set([...this.entries.values()].map(({ segment }) => segment))
    const sizes = segments.numbers.map((segment) => ({ segment, bytes: segments.bytes(segment) }))
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { segment, bytes } of sizes.slice(0, -1)) {
      if (used.has(segment) && total <= MAX_HISTORY_BYTES) return
      for (const [id, entry] of this.entries) if (entry.segment === segment) this.#forget(id, entry)
      this.options.onForgetSegment(segment)
      segments.forgetFirst()
      total -= bytes
    }
  }
}
