import { randomUUID } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { firstError, type TextFile, Token, DEFAULT_RIGHTS } from '../../shared/schema/index.ts'
import type { Log } from './access-parts.ts'

/** What is written down beside the requests is written so long after the first of it. */
const WRITE_LATER_MS = 60_000

const TokenRow = Type.Composite([Token, Type.Object({ sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) })])
/** A token as tokens.json has it: its SHA-256. */
export type TokenRow = Static<typeof TokenRow>

/** What the row grants, without where and when it was last used: that is noted here, and an edit of the file changes none of it. */
export const granted = ({ last_used_at: _at, last_used_from: _from, ...row }: TokenRow) => row

/** The rows of tokens.json. */
interface TokenRows {
  all(): TokenRow[]
  /** why the file could not be read, in plain words; null: it could */
  trouble(): string | null
  /** Writes them now; throws as the file does. */
  replace(rows: TokenRow[]): void
  /** What was noted in a row is written within a minute, and no request waits for it. */
  writeLater(): void
  /** Reads the file again, but for what was read or written before; what is no list of tokens, or may not be taken, changes nothing. */
  read(mayTake: () => boolean): void
  /** Writes what is to be written later. */
  close(): void
}

/** An identity, which a name is not: it may be given again. */
export const newId = (): string => randomUUID()

export function createTokenRows(file: TextFile, log: Log): TokenRows {
  let kept = readFirst(file, log)
  let timer: NodeJS.Timeout | null = null

  const replace = (rows: TokenRow[]) => {
    const text = `${JSON.stringify({ tokens: rows }, null, 2)}\n`
    file.write(text)
    kept = { text, rows, trouble: null, lacksIds: false }
  }
  const writeIds = () => {
    if (kept.lacksIds) tryTo(() => replace(kept.rows), log)
  }
  const writeNoted = () => {
    if (timer === null) return
    clearTimeout(timer)
    timer = null
    tryTo(() => {
      if (file.read() === kept.text) replace(kept.rows) // else somebody has changed it, and it is read first
    }, log)
  }
  writeIds()
  return {
    all: () => kept.rows,
    trouble: () => kept.trouble,
    replace,
    writeLater: () => void (timer ??= setTimeout(writeNoted, WRITE_LATER_MS).unref()),
    read(mayTake) {
      const read = readAgain(kept, file, mayTake, log)
      kept = { ...read, rows: read.rows.map((row) => withUse(row, kept.rows)) }
      writeIds()
    },
    close: writeNoted,
  }
}

interface ReadRows {
  /** all that the file held, or was given; null: nothing, or what is no list of tokens */
  text: string | null
  /** those that are tokens */
  rows: TokenRow[]
  /** what is wrong with the file, or with a row of it */
  trouble: string | null
  /** rows of a file that is older than ids, or that a person wrote: they were given some */
  lacksIds: boolean
}

/** At the start a file that cannot be read lets nobody in but the owner, and of a damaged one the rows that are tokens hold. */
function readFirst(file: TextFile, log: Log): ReadRows {
  const read = rowsOf(file)
  const sentence = read.rows.length > 0 ? 'rows that are no tokens hold not' : 'no token holds but the owner’s'
  if (read.trouble !== null) log({ reason: read.trouble }, `tokens.json: ${sentence}`)
  return read
}

/** While it serves such a file changes nothing: `before` holds on. */
function readAgain(before: ReadRows, file: TextFile, mayTake: () => boolean, log: Log): ReadRows {
  const read = rowsOf(file, before)
  const trouble =
    read.text === before.text || mayTake()
      ? read.trouble
      : 'tokens.json was changed while a command ran that no person had sent: it is not taken'
  if (trouble === null) return read
  log({ reason: trouble }, 'tokens.json is not taken: nothing is changed')
  return { ...before, trouble: `${trouble}; the tokens that held before hold on` }
}

/** The file's note of a use may be older than ours, which is written later. */
function withUse(row: TokenRow, before: TokenRow[]): TokenRow {
  const known = before.find(({ id }) => id === row.id)
  if (!known?.last_used_at || known.last_used_at <= (row.last_used_at ?? '')) return row
  return { ...row, last_used_at: known.last_used_at, last_used_from: known.last_used_from }
}

/** A row may be older than a right, or than ids. */
const withAllFields = (row: unknown) =>
  row !== null && typeof row === 'object' ? { ...DEFAULT_RIGHTS, id: newId(), ...row } : row
const hasNoId = (row: unknown) => row !== null && typeof row === 'object' && !('id' in row)

/** What was read `before`, or written by us, is not read again. */
function rowsOf(file: TextFile, before: ReadRows | null = null): ReadRows {
  try {
    const text = file.read()
    if (text !== null && text === before?.text) return { ...before, trouble: null }
    const all: unknown = text === null ? [] : JSON.parse(text).tokens
    if (!Array.isArray(all)) throw new Error('it has no list of tokens')
    const rows = all.map(withAllFields).filter((row): row is TokenRow => firstError(TokenRow, row) === null)
    const bad = all.length - rows.length
    return bad === 0
      ? { text, rows, trouble: null, lacksIds: all.some(hasNoId) }
      : { text: null, rows, trouble: `tokens.json: ${bad} rows are no tokens`, lacksIds: false }
  } catch (error) {
    return { text: null, rows: [], trouble: `tokens.json: ${(error as Error).message}`, lacksIds: false }
  }
}

/** That a use cannot be noted is no reason to refuse it. */
function tryTo(write: () => void, log: Log): void {
  try {
    write()
  } catch (error) {
    log({ reason: (error as Error).message }, 'tokens.json cannot be written')
  }
}
