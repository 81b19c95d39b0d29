import type { AgeClock } from './ids.ts'
import type { RunKey } from './history-line.ts'

const MAX_KEYS = 50_000
const MAX_AGE_MS = 8 * 86_400_000

/** A key and the newest segment that contains it; 0: it is only in memory. */
export interface KeyRow extends RunKey {
  runId: string
  segment: number
  /** when it was claimed, by the age clock */
  ageMs: number
}

/** Maps each Idempotency-Key to its run, for 8 days and at most 50 000 keys. `history.begin` writes a claimed key to disk. */
export class Keys {
  readonly #known: Map<string, KeyRow>

  /** `rows`: the keys on disk, oldest first; `onFree` is called when a key on disk no longer belongs to this run */
  constructor(
    rows: Iterable<KeyRow>,
    private readonly clock: AgeClock,
    private readonly onFree: (runId: string) => void,
  ) {
    this.#known = new Map([...rows].map((row) => [row.key, row]))
  }

  /**
   * Claims a key in memory. `digest`: the digest of the body that came with the key. Returns the run that the key belongs to: this one or an
   * earlier one.
   */
  claim(key: string, digest: string, runId: string): { outcome: 'fresh' | 'replay' | 'conflict'; runId: string } {
    this.#forgetOld()
    const row = this.#known.get(key)
    if (row) return { outcome: row.digest === digest ? 'replay' : 'conflict', runId: row.runId }
    this.#known.set(key, { key, digest, runId, segment: 0, ageMs: this.clock.nowMs() })
    return { outcome: 'fresh', runId }
  }

  /** The run of a key, if its digest matches; otherwise null. */
  find(key: string, digest: string): string | null {
    const row = this.#known.get(key)
    return row?.digest === digest ? row.runId : null
  }

  /** Frees a key whose run certainly never started, so that it can be used again. */
  release(key: string, runId: string): void {
    const row = this.#known.get(key)
    if (row?.runId !== runId) return
    this.#known.delete(key)
    if (row.segment > 0) this.onFree(runId)
  }

  /** Records that the key's line is in `segment`. */
  written(key: string, segment: number): void {
    const row = this.#known.get(key)
    if (row) row.segment = segment
  }

  /** The segments that contain keys still in use. */
  segments(): Set<number> {
    this.#forgetOld()
    return new Set([...this.#known.values()].map(({ segment }) => segment))
  }

  #forgetOld(): void {
    const oldestMs = this.clock.nowMs() - MAX_AGE_MS
    for (const [key, { ageMs }] of this.#known) {
      if (this.#known.size <= MAX_KEYS && ageMs >= oldestMs) return
      this.#known.delete(key)
    }
  }
}
