import type { Entries, Entry } from './ended-entry.ts'
import type { HistoryParts } from './history-index.ts'
import type { AgeClock } from './ids.ts'
import type { Segments } from './segments.ts'

const DAY_MS = 86_400_000
/** Limit, in bytes, on the total size of all segments. */
const MAX_HISTORY_BYTES = 268_435_456
/** Limit, in characters, on the lines that could not be written and are held in memory. */
const MAX_MEMORY_CHARS = 8_388_608

/** Forgets the oldest ended runs beyond the limits on age, number and size. */
export class Retention {
  #memoryChars = 0

  constructor(
    private readonly entries: Entries,
    private readonly clock: AgeClock,
    private readonly parts: HistoryParts,
  ) {}

  /** Counts a line that is only in memory. Beyond the limit, runs in memory are forgotten; those on disk stay known. */
  hold(line: string): void {
    this.#memoryChars += line.length
    for (const [id, entry] of this.entries) {
      if (this.#memoryChars <= MAX_MEMORY_CHARS) return
      if (entry.line !== undefined) this.#forget(id, entry)
    }
  }

  /** Call when a line that was only in memory has been written to disk. */
  release(line: string): void {
    this.#memoryChars -= line.length
  }

  /** Forgets runs beyond the limits on age and number. */
  retain(): void {
    const { historyMaxCount, historyMaxAgeDays } = this.parts
    const oldestMs = this.clock.nowMs() - historyMaxAgeDays * DAY_MS
    for (const [id, entry] of this.entries) {
      if (this.entries.size <= historyMaxCount && entry.ageMs >= oldestMs) return
      this.#forget(id, entry)
    }
  }

  /** Forgets segments that no run needs, always the oldest first, so that a gap in the numbers means a loss. */
  retainSegments(segments: Segments, onForget: (segment: number) => void): void {
    const used = new Set(Array.from(this.entries, ([, { segment }]) => segment))
    const sizes = segments.numbers.map((segment) => ({ segment, bytes: segments.bytes(segment) }))
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { segment, bytes } of sizes.slice(0, -1)) {
      if (used.has(segment) && total <= MAX_HISTORY_BYTES) return
      for (const [id, entry] of this.entries) if (entry.segment === segment) this.#forget(id, entry)
      onForget(segment)
      segments.forgetFirst()
      total -= bytes
    }
  }

  #forget(id: string, entry: Entry): void {
    this.entries.delete(id)
    this.#memoryChars -= entry.line?.length ?? 0
    if (entry.files) this.parts.disk?.quota.forget(id).catch(() => {}) // a later sweep removes what is left
  }
}
