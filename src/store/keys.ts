import fs, { fdatasync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { ShellphoneError } from '../schema/index.ts'
import { makeFolder, reasonOf, replaceFile } from './folder.ts'
import { isIdempotencyKey, type KeyRow, readKeyRows } from './key-rows.ts'
import type { Log } from './log.ts'

const flush = promisify(fdatasync)

/** `durable` false: the disk refused, and the key will not survive a restart. */
export type Reservation =
  { outcome: 'new'; durable: boolean } | { outcome: 'replay'; runId: string } | { outcome: 'conflict'; runId: string }

/** Which run an Idempotency-Key stands for. A key is reserved before the spawn, so that a crash cannot run a command twice. */
export interface Keys {
  /**
   * On disk when it resolves. `bodyDigest`: of the body that came with the key. VALIDATION_ERROR for what is no key.
   * `onNew` is called at once, before the key is written: begin the run there, and no crash leaves a key without its run.
   * (`replay` of a run that history does not know: it was forgotten since, or power was lost in that moment.)
   */
  reserve(key: string, bodyDigest: string, runId: string, onNew?: () => void): Promise<Reservation>
  /** At once, in memory. */
  claim(key: string, digest: string, runId: string): { outcome: 'fresh' | 'replay' | 'conflict'; runId: string }
  /** Frees a key whose request never became a run, so that it can be tried again. */
  release(key: string, runId: string): void
}

export interface OpenKeys extends Keys {
  close(): void
}

export interface KeysOptions {
  /** null: in memory alone */
  file: string | null
  /** the oldest go when there are more */
  maxKeys: number
  maxAgeMs: number
  now(): number
  log: Log
}

export const createKeys = ({ file, maxKeys, maxAgeMs, now, log }: KeysOptions): OpenKeys => {
  const rows = file === null ? new Map<string, KeyRow>() : readKeyRows(file)
  const safe = new Map<string, Promise<boolean>>()
  let descriptor: number | null = null
  let lines = Number.POSITIVE_INFINITY

  const forgetOld = (): void => {
    const oldestMs = now() - maxAgeMs
    for (const [key, { at }] of rows) {
      if (rows.size <= maxKeys && at >= oldestMs) return
      rows.delete(key)
    }
  }

  const close = (): void => {
    if (descriptor !== null) fs.closeSync(descriptor)
    descriptor = null
  }

  /** Writes the file anew when most of its lines say nothing any more (and at the first use). */
  const compact = (target: string): void => {
    close()
    makeFolder(path.dirname(target))
    replaceFile(target, [...rows.values()].map((row) => `${JSON.stringify(row)}\n`).join(''))
    lines = rows.size
  }

  const append = (target: string, row: KeyRow): number => {
    if (lines > maxKeys * 2 || (descriptor !== null && fs.fstatSync(descriptor).nlink === 0)) compact(target)
    descriptor ??= fs.openSync(target, 'a', 0o600)
    fs.writeSync(descriptor, `\n${JSON.stringify(row)}\n`)
    lines++
    return descriptor
  }

  const write = async (row: KeyRow): Promise<boolean> => {
    if (file === null) return false
    try {
      await flush(append(file, row))
      return true
    } catch (error) {
      log({ reason: reasonOf(error) }, 'an idempotency key was not written')
      return false
    }
  }

  const reserveNew = async (row: KeyRow): Promise<Reservation> => {
    rows.set(row.k, row)
    const written = write(row)
    safe.set(row.k, written)
    const durable = await written
    safe.delete(row.k)
    return { outcome: 'new', durable }
  }

  return {
    reserve: async (key, bodyDigest, runId, onNew) => {
      if (!isIdempotencyKey(key)) {
        throw new ShellphoneError('VALIDATION_ERROR', 'Idempotency-Key: expected 1 to 255 visible ASCII characters')
      }
      forgetOld()
      const known = rows.get(key)
      if (known === undefined) {
        onNew?.()
        return reserveNew({ k: key, d: bodyDigest, r: runId, at: now() })
      }
      await safe.get(key)
      return { outcome: known.d === bodyDigest ? 'replay' : 'conflict', runId: known.r }
    },
    claim: (key, digest, runId) => {
      if (!isIdempotencyKey(key)) {
        throw new ShellphoneError('VALIDATION_ERROR', 'Idempotency-Key: expected 1 to 255 visible ASCII characters')
      }
      forgetOld()
      const known = rows.get(key)
      if (known) return { outcome: known.d === digest ? 'replay' : 'conflict', runId: known.r }
      void reserveNew({ k: key, d: digest, r: runId, at: now() })
      return { outcome: 'fresh', runId }
    },
    release: (key, runId) => {
      if (rows.get(key)?.r !== runId) return
      rows.delete(key)
      void write({ k: key, d: '', r: '', at: now() })
    },
    close,
  }
}
