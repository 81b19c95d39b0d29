import { ShellphoneError } from '../schema/index.ts'
import type { RunKey } from './history-line.ts'

const MAX_KEYS = 50_000
const MAX_AGE_MS = 8 * 86_400_000

/** 1 to 255 visible ASCII characters, as a header carries them. */
export const isIdempotencyKey = (text: unknown): text is string =>
  typeof text === 'string' && /^[\x21-\x7e]{1,255}$/.test(text)

/** `runId`: the run that the key stands for, this one or an earlier one. */
export interface Claim {
  outcome: 'fresh' | 'replay' | 'conflict'
  runId: string
}

/** Which run an Idempotency-Key stands for, for 8 days and 50 000 keys. `history.begin` brings a claimed one to disk. */
export interface Keys {
  /** At once, in memory. `digest`: of the body that came with the key. VALIDATION_ERROR for what is no key. */
  claim(key: string, digest: string, runId: string): Claim
  /** Frees a key whose run provably never started, so that it can be tried again. */
  release(key: string, runId: string): void
}

/** A key and the newest segment whose lines hold it; 0: it is in memory alone. */
export interface KeyRow extends RunKey {
  runId: string
  segment: number
  /** when it was claimed, by the age clock */
  ageMs: number
}

export interface OpenKeys extends Keys {
  /** `segment` holds the key's line now. */
  written(key: string, segment: number): void
  /** The segments beside which the keys lie that still hold. */
  segments(): Set<number>
}

/** `rows`: what the disk holds, oldest first. `onFree`: a key that is on disk stands for this run no longer. */
export const createKeys = (rows: KeyRow[], ageNow: () => number, onFree: (runId: string) => void): OpenKeys => {
  const known = new Map(rows.map((row) => [row.key, row]))

  const forgetOld = (): void => {
    const oldestMs = ageNow() - MAX_AGE_MS
    for (const [key, { ageMs }] of known) {
      if (known.size <= MAX_KEYS && ageMs >= oldestMs) return
      known.delete(key)
    }
  }

  return {
    claim: (key, digest, runId) => {
      if (!isIdempotencyKey(key)) {
        throw new ShellphoneError('VALIDATION_ERROR', 'Idempotency-Key: expected 1 to 255 visible ASCII characters')
      }
      forgetOld()
      const row = known.get(key)
      if (row) return { outcome: row.digest === digest ? 'replay' : 'conflict', runId: row.runId }
      known.set(key, { key, digest, runId, segment: 0, ageMs: ageNow() })
      return { outcome: 'fresh', runId }
    },
    release: (key, runId) => {
      const row = known.get(key)
      if (row?.runId !== runId) return
      known.delete(key)
      if (row.segment > 0) onFree(runId)
    },
    written: (key, segment) => {
      const row = known.get(key)
      if (row) row.segment = segment
    },
    segments: () => {
      forgetOld()
      return new Set([...known.values()].map(({ segment }) => segment))
    },
  }
}
