import type { Entries, Entry } from './ended-entry.ts'
import type { HistoryParts } from './history-index.ts'
import type { AgeClock } from './ids.ts'
import type { Segments } from './segments.ts'

const DAY_MS = 86_400_000
/** All segments together are held under this. */
const MAX_HISTORY_BYTES = 268_435_456
/** What the disk refused stays readable in memory, up to this. */
const MAX_MEMORY_CHARS = 8_388_608

/** Which ended runs are forgotten, the oldest first: what is too old, too many or too much. */
export class Retention {
  #memoryChars = 0

  constructor(
    private readonly entries: Entries,
    private readonly clock: AgeClock,
    private readonly parts: HistoryParts,
  ) {}

  /** One more line is in memory alone. Where those are too many, what lies on the disk stays known. */
  hold(line: string): void {
    this.#memoryChars += line.length
    for (const [id, entry] of this.entries) {
      if (this.#memoryChars <= MAX_MEMORY_CHARS) return
      if (entry.line !== undefined) this.#forget(id, entry)
    }
  }

  /** The disk took a line that was in memory alone. */
  release(line: string): void {
    this.#memoryChars -= line.length
  }

  /** Forgets what is too old or too many. */
  retain(): void {
    const { historyMaxCount, historyMaxAgeDays } = this.parts
    const oldestMs = this.clock.nowMs() - historyMaxAgeDays * DAY_MS
    for (const [id, entry] of this.entries) {
      if (this.entries.size <= historyMaxCount && entry.ageMs >= oldestMs) return
      this.#forget(id, entry)
    }
  }

  /** Forgets the segments that nobody needs: from the oldest on, so that a number that is not there tells of a loss. */
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
    if (entry.files) this.parts.disk?.quota.forget(id).catch(() => {}) // a later sweep takes what the disk would not remove
  }
}
