import fs, { fdatasync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { ShellphoneError } from '../schema/index.ts'
import { makeFolder, reasonOf, replaceFile } from './folder.ts'
import { isRunId } from './ids.ts'
import type { Log } from './log.ts'

const flush = promisify(fdatasync)

/** 1 to 255 visible ASCII characters, as a header carries them. */
export const isIdempotencyKey = (text: unknown): text is string =>
  typeof text === 'string' && /^[\x21-\x7e]{1,255}$/.test(text)

/** `durable` false: the disk refused, and the key will not survive a restart. */
export type Reservation =
  | { outcome: 'new'; durable: boolean }
  | { outcome: 'replay'; runId: string }
  | { outcome: 'conflict'; runId: string }

/** Which run an Idempotency-Key stands for. A key is reserved before the spawn, so that a crash cannot run a command twice. */
export interface Keys {
  /** On disk when it resolves. `bodyDigest`: of the body that came with the key. VALIDATION_ERROR for what is no key. */
  reserve(key: string, bodyDigest: string, runId: string): Promise<Reservation>
  /** Frees a key whose request never became a run, so that it can be tried again. */
  release(key: string, runId: string): void
  close(): void
}

export interface KeyLimits {
  maxKeys: number
  maxAgeMs: number
}

interface Row {
  k: string
  d: string
  r: string
  at: number
}

const isRow = (row: unknown): row is Row => {
  const { k, d, r, at } = (row ?? {}) as Partial<Row>
  return isIdempotencyKey(k) && typeof d === 'string' && (r === '' || isRunId(r)) && typeof at === 'number'
}

const parseRow = (line: string): Row | null => {
  try {
    const row: unknown = JSON.parse(line)
    return isRow(row) ? row : null
  } catch {
    return null
  }
}

/** A row without a run frees its key. Torn lines are passed over. */
const readRows = (file: string): Map<string, Row> => {
  const rows = new Map<string, Row>()
  let text = ''
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch {
    /* the first start */
  }
  for (const line of text.split('\n')) {
    const row = parseRow(line)
    if (row === null) continue
    rows.delete(row.k)
    if (row.r !== '') rows.set(row.k, row)
  }
  return rows
}

/** `file` null: in memory alone. The oldest keys go when there are too many. */
export const createKeys = (file: string | null, limits: KeyLimits, now: () => number, log: Log): Keys => {
  const rows = file === null ? new Map<string, Row>() : readRows(file)
  const safe = new Map<string, Promise<boolean>>()
  let descriptor: number | null = null
  let lines = Number.POSITIVE_INFINITY

  const forgetOld = (): void => {
    const oldestMs = now() - limits.maxAgeMs
    for (const [key, { at }] of rows) {
      if (rows.size <= limits.maxKeys && at >= oldestMs) return
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

  const append = (target: string, row: Row): number => {
    if (lines > limits.maxKeys * 2 || (descriptor !== null && fs.fstatSync(descriptor).nlink === 0)) compact(target)
    descriptor ??= fs.openSync(target, 'a', 0o600)
    fs.writeSync(descriptor, `\n${JSON.stringify(row)}\n`)
    lines++
    return descriptor
  }

  const write = async (row: Row): Promise<boolean> => {
    if (file === null) return false
    try {
      await flush(append(file, row))
      return true
    } catch (error) {
      log({ reason: reasonOf(error) }, 'an idempotency key was not written')
      return false
    }
  }

  const reserveNew = async (row: Row): Promise<Reservation> => {
    rows.set(row.k, row)
    const written = write(row)
    safe.set(row.k, written)
    const durable = await written
    safe.delete(row.k)
    return { outcome: 'new', durable }
  }

  return {
    reserve: async (key, bodyDigest, runId) => {
      if (!isIdempotencyKey(key))
        throw new ShellphoneError('VALIDATION_ERROR', 'Idempotency-Key: expected 1 to 255 visible ASCII characters')
      forgetOld()
      const known = rows.get(key)
      if (known === undefined) return reserveNew({ k: key, d: bodyDigest, r: runId, at: now() })
      await safe.get(key)
      return { outcome: known.d === bodyDigest ? 'replay' : 'conflict', runId: known.r }
    },
    release: (key, runId) => {
      if (rows.get(key)?.r !== runId) return
      rows.delete(key)
      void write({ k: key, d: '', r: '', at: now() })
    },
    close,
  }
}
