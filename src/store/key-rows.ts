import fs from 'node:fs'
import { isRunId } from './ids.ts'

/** 1 to 255 visible ASCII characters, as a header carries them. */
export const isIdempotencyKey = (text: unknown): text is string =>
  typeof text === 'string' && /^[\x21-\x7e]{1,255}$/.test(text)

/** A key, its body's digest, its run ('' frees the key), and when it was reserved. */
export interface KeyRow {
  k: string
  d: string
  r: string
  at: number
}

const isKeyRow = (row: unknown): row is KeyRow => {
  const { k, d, r, at } = (row ?? {}) as Partial<KeyRow>
  return isIdempotencyKey(k) && typeof d === 'string' && (r === '' || isRunId(r)) && typeof at === 'number'
}

const parseKeyRow = (line: string): KeyRow | null => {
  try {
    const row: unknown = JSON.parse(line)
    return isKeyRow(row) ? row : null
  } catch {
    return null
  }
}

/** The last row of a key counts. Torn lines are passed over. */
export const readKeyRows = (file: string): Map<string, KeyRow> => {
  const rows = new Map<string, KeyRow>()
  let text = ''
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch {
    /* the first start */
  }
  for (const line of text.split('\n')) {
    const row = parseKeyRow(line)
    if (row === null) continue
    rows.delete(row.k)
    if (row.r !== '') rows.set(row.k, row)
  }
  return rows
}
