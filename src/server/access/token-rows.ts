import { randomUUID } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { firstError, type TextFile, Token, DEFAULT_RIGHTS } from '../../shared/schema/index.ts'
import type { Log } from './access-parts.ts'

/** How long after the first unwritten use of a token to write the file. */
const WRITE_LATER_MS = 60_000

const TokenRow = Type.Composite([Token, Type.Object({ sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) })])
/** A token as tokens.json stores it, with its SHA-256. */
export type TokenRow = Static<typeof TokenRow>

/** What the row grants, without its last use, which the service records and an edit of the file cannot change. */
export const granted = ({ last_used_at: _at, last_used_from: _from, ...row }: TokenRow) => row

/** The rows of tokens.json. */
interface TokenRows {
  all(): TokenRow[]
  /** why the file could not be read, as a sentence for the owner; null: no problem */
  problem(): string | null
  /** Writes the rows now. Throws the errors of the file system. */
  replace(rows: TokenRow[]): void
  /** Writes the last uses recorded in the rows within a minute, so that no request waits for the disk. */
  writeLater(): void
  /** Reads the file again if it has changed. A file that is not a list of tokens, or that `mayTake` rejects, changes nothing. */
  read(mayTake: () => boolean): void
  /** Writes the last uses that have not been written yet. */
  close(): void
}

/** Creates the permanent id of a token; a name may be used again. */
export const newId = (): string => randomUUID()

export function createTokenRows(file: TextFile, log: Log): TokenRows {
  let current = readFirst(file, log)
  let timer: NodeJS.Timeout | null = null

  const replace = (rows: TokenRow[]) => {
    const text = `${JSON.stringify({ tokens: rows }, null, 2)}\n`
    file.write(text)
    current = { text, rows, problem: null, lacksIds: false }
  }
  const writeIds = () => {
    if (current.lacksIds) tryTo(() => replace(current.rows), log)
  }
  const writeNoted = () => {
    if (timer === null) return
    clearTimeout(timer)
    timer = null
    tryTo(() => {
      if (file.read() === current.text) replace(current.rows) // otherwise someone has changed the file, and it must be read first
    }, log)
  }
  writeIds()
  return {
    all: () => current.rows,
    problem: () => current.problem,
    replace,
    writeLater: () => void (timer ??= setTimeout(writeNoted, WRITE_LATER_MS).unref()),
    read(mayTake) {
      const read = readAgain(current, file, mayTake, log)
      current = { ...read, rows: read.rows.map((row) => withUse(row, current.rows)) }
      writeIds()
    },
    close: writeNoted,
  }
}

interface ReadRows {
  /** the whole text that was read or written; null: there is no file, or it is not a list of tokens */
  text: string | null
  /** the valid rows */
  rows: TokenRow[]
  /** what is wrong with the file or with some of its rows; null: nothing */
  problem: string | null
  /** whether some rows had no id and got a new one: an older service or a person wrote them */
  lacksIds: boolean
}

/** Reads the file at startup. If it cannot be read, only the owner's token is valid; if some rows are damaged, the others stay valid. */
function readFirst(file: TextFile, log: Log): ReadRows {
  const read = rowsOf(file)
  const sentence = read.rows.length > 0 ? 'invalid rows are ignored' : 'only the owner’s token is valid'
  if (read.problem !== null) log({ reason: read.problem }, `tokens.json: ${sentence}`)
  return read
}

/** Reads the file while the service is running. A file that is damaged or not accepted changes nothing: `before` stays in force. */
function readAgain(before: ReadRows, file: TextFile, mayTake: () => boolean, log: Log): ReadRows {
  const read = rowsOf(file, before)
  const problem =
    read.text === before.text || mayTake()
      ? read.problem
      : 'tokens.json was changed while a command ran that no person had sent; the change is ignored'
  if (problem === null) return read
  log({ reason: problem }, 'tokens.json was not read; the previous tokens stay valid')
  return { ...before, problem: `${problem}; the previous tokens stay valid` }
}

/** The last use in the file may be older than the one in memory, which is written later. */
function withUse(row: TokenRow, before: TokenRow[]): TokenRow {
  const known = before.find(({ id }) => id === row.id)
  if (!known?.last_used_at || known.last_used_at <= (row.last_used_at ?? '')) return row
  return { ...row, last_used_at: known.last_used_at, last_used_from: known.last_used_from }
}

/** Fills in the fields that an older service did not write: newer rights, the id and the idle days. */
const withAllFields = (row: unknown) =>
  row !== null && typeof row === 'object' ? { ...DEFAULT_RIGHTS, id: newId(), idle_days: null, ...row } : row
const hasNoId = (row: unknown) => row !== null && typeof row === 'object' && !('id' in row)

/** Reads and parses the file. Reuses `before` if the text is the same. */
function rowsOf(file: TextFile, before: ReadRows | null = null): ReadRows {
  try {
    const text = file.read()
    if (text !== null && text === before?.text) return { ...before, problem: null }
    const all: unknown = text === null ? [] : JSON.parse(text).tokens
    if (!Array.isArray(all)) throw new Error('the file contains no list of tokens')
    const rows = all.map(withAllFields).filter((row): row is TokenRow => firstError(TokenRow, row) === null)
    const bad = all.length - rows.length
    return bad === 0
      ? { text, rows, problem: null, lacksIds: all.some(hasNoId) }
      : { text: null, rows, problem: `tokens.json: ${bad} rows are not tokens`, lacksIds: false }
  } catch (error) {
    return { text: null, rows: [], problem: `tokens.json: ${(error as Error).message}`, lacksIds: false }
  }
}

/** A token stays usable even if its last use cannot be written. */
function tryTo(write: () => void, log: Log): void {
  try {
    write()
  } catch (error) {
    log({ reason: (error as Error).message }, 'tokens.json cannot be written')
  }
}
