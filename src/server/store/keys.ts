import type { AgeClock } from './ids.ts'
import type { RunKey } from './history-line.ts'

const MAX_KEYS = 50_000
const MAX_AGE_MS = 8 * 86_400_000

/** A key and the newest segment whose lines hold it; 0: it is in memory alone. */
export interface KeyRow extends RunKey {
  runId: string
  segment: number
  /** when it was claimed, by the age clock */
  ageMs: number
}

/** Which run an Idempotency-Key stands for, for 8 days and 50 000 keys. `history.begin` brings a claimed one to disk. */
export class Keys {
  readonly #known: Map<string, KeyRow>

  /** `rows`: what the disk holds, oldest first; `onFree`: a key that is on disk stands for this run no longer */
  constructor(
    rows: Iterable<KeyRow>,
    private readonly clock: AgeClock,
    private readonly onFree: (runId: string) => void,
  ) {
    this.#known = new Map([...rows].map((row) => [row.key, row]))
  }

  /**
   * At once, in memory. `digest`: of the body that came with the key; `runId`: the run that the key stands for, this one or an earlier
   * one.
   */
  claim(key: string, digest: string, runId: string): { outcome: 'fresh' | 'replay' | 'conflict'; runId: string } {
    this.#forgetOld()
    const row = this.#known.get(key)
    if (row) return { outcome: row.digest === digest ? 'replay' : 'conflict', runId: row.runId }
    this.#known.set(key, { key, digest, runId, segment: 0, ageMs: this.clock.nowMs() })
    return { outcome: 'fresh', runId }
  }

  /** The run that a key stands for, where this digest came with it. */
  find(key: string, digest: string): string | null {
    const row = this.#known.get(key)
    return row?.digest === digest ? row.runId : null
  }

  /** Frees a key whose run provably never started, so that it can be tried again. */
  release(key: string, runId: string): void {
    const row = this.#known.get(key)
    if (row?.runId !== runId) return
    this.#known.delete(key)
    if (row.segment > 0) this.onFree(runId)
  }

  /** `segment` holds the key's line now. */
  written(key: string, segment: number): void {
    const row = this.#known.get(key)
    if (row) row.segment = segment
  }

  /** The segments beside which the keys lie that still hold. */
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
