import { hash, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  ALWAYS,
  type TextFile,
  type NewToken,
  OWNER,
  ShellphoneError,
  type Token,
  type TokenInput,
  toIso,
  DEFAULT_RIGHTS,
  toPlainAddress,
  type Who,
} from '../../shared/schema/index.ts'
import { refuseMore, withinMaker } from './maker-limits.ts'
import { isFrom, networkOf } from './networks.ts'
import type { Log } from './access-parts.ts'
import type { OwnCommandLine } from './own-command-line.ts'
import type { Passes } from './passes.ts'
import { isOver, watchEnds } from './token-ends.ts'
import { createTokenRows, granted, newId, type TokenRow } from './token-rows.ts'

/** Named tokens; the next one is refused. */
const MAX_TOKENS = 256

export interface Tokens {
  /**
   * Whose token this is, shown from `address`; null where it is unknown, revoked, expired, or not for that address. The command line of this
   * machine may show a proof instead: no file needs to have the owner's token any more then.
   */
  find(text: string, address: string): Who | null
  /** in the order in which they were made */
  list(): Token[]
  /** What `create` would make of these rights. FORBIDDEN: `maker` has less itself; UNAUTHORIZED: it holds no longer. */
  bound<Rights extends Omit<TokenInput, 'name'>>(rights: Rights, maker: Who): Rights
  /** CONFLICT: there is one of that name, or too many; VALIDATION_ERROR: an invalid address; as `bound`. */
  create(input: TokenInput, maker?: Who): NewToken
  /**
   * Another secret for the same name; the old one ends. NOT_FOUND; FORBIDDEN: `maker` has less rights itself, or is not the owner, whose
   * it is; CONFLICT: SHELLPHONE_TOKEN says what the owner's is.
   */
  rotate(name: string, maker?: Who): NewToken
  /** NOT_FOUND: there is none of that name. */
  revoke(name: string): void
  /**
   * Reads the file again: who is gone from it is revoked; what is no list of tokens changes nothing, nor what somebody else wrote where
   * `mayTake` says no. True: there was something new.
   */
  reload(mayTake?: () => boolean): boolean
  /** why the file could not be read, in plain words; null: it could */
  trouble(): string | null
  /** Hears the name of every token that holds no longer: revoked, rotated, over, in the file gone or with other rights. */
  onEnd(listener: (name: string) => void): void
  /** Writes down what has been noted and not written yet. */
  close(): void
}

interface TokensParts {
  /** tokens.json of the home */
  file: TextFile
  /** the owner's, which needs no row */
  owner: OwnersToken
  log: Log
  /** of the door of a fleet, which lets its callers in */
  passes?: Pick<Passes, 'who'>
  /** proves itself in place of a token */
  commandLine?: OwnCommandLine
  now?(): number
}

/** The owner's token, of which the SHA-256 is enough. */
export interface OwnersToken {
  sha256: string
  /** Another holds from now on, and no file has it in plain text. Throws CONFLICT where SHELLPHONE_TOKEN gives it. */
  replace(sha256: string): void
  /** Removes the file that has it in plain text. False: there is none. Throws as fs does. */
  forgetText(): boolean
}

const newSecret = () => randomBytes(32).toString('base64url')

/** Tokens are kept as SHA-256 and found by it, so that neither the file nor the time that a look takes tells one. */
export function createTokens({ file, owner, log, passes, commandLine, now = Date.now }: TokensParts): Tokens {
  const listeners: ((name: string) => void)[] = []
  const rows = createTokenRows(file, log)
  const end = (name: string) => listeners.forEach((listener) => listener(name))
  const ends = watchEnds(rows.all, end, now)
  const replace = (all: TokenRow[]) => {
    rows.replace(all)
    ends.look()
  }
  return {
    find(text, address) {
      const digest = hash('sha256', text)
      const isProven = commandLine?.proves(text) === true && forget(owner, log)
      const known = isProven || digest === owner.sha256 ? OWNER : passes?.who(text)
      if (known) return known
      const row = rows.all().find((one) => one.sha256 === digest)
      if (!row || isOver(row, now()) || !isFrom(row.addresses, address)) return null
      row.last_used_at = toIso(now())
      row.last_used_from = toPlainAddress(address)
      rows.writeLater()
      return row
    },
    list: () => rows.all().map(withoutSecret),
    bound: (rights, maker) => boundTo(rowOfMaker(maker, rows.all()), rights, now()),
    create(input, maker = OWNER) {
      checkNew(input, rows.all())
      const [token, nowMs] = [newSecret(), now()] // one time for both: days are counted from it twice
      const row = toRow(boundTo(rowOfMaker(maker, rows.all()), input, nowMs), token, nowMs)
      replace([...rows.all(), row])
      return { ...withoutSecret(row), token }
    },
    rotate(name, maker = OWNER) {
      if (name === OWNER.name) return rotateOwners(owner, maker, end)
      const token = newSecret()
      const row = { ...named(rows.all(), name), sha256: hash('sha256', token) }
      refuseMore(row, rowOfMaker(maker, rows.all()))
      replace(rows.all().map((one) => (one.name === name ? row : one)))
      end(name)
      return { ...withoutSecret(row), token }
    },
    revoke(name) {
      const gone = named(rows.all(), name)
      replace(rows.all().filter((one) => one !== gone))
      end(name)
    },
    reload(mayTake = () => true) {
      const before = rows.all()
      rows.read(mayTake)
      for (const row of before) if (!rows.all().some((one) => isSame(one, row))) end(row.name)
      ends.look()
      return !isDeepStrictEqual(rows.all().map(granted), before.map(granted))
    },
    trouble: rows.trouble,
    onEnd: (listener) => void listeners.push(listener),
    close() {
      ends.close()
      rows.close()
    },
  }
}

function rotateOwners(owner: OwnersToken, maker: Who, end: (name: string) => void): NewToken {
  if (maker.id !== OWNER.id) throw new ShellphoneError('FORBIDDEN', "The owner's token is the owner's to rotate")
  const token = newSecret()
  owner.replace(hash('sha256', token))
  setImmediate(end, OWNER.name) // the answer goes first: it may leave by a connection of the owner's
  return { ...OWNER, addresses: [], expires_at: null, last_used_at: null, token }
}

/** Nobody needs a file with the owner's token any more. True, whatever the disk says. */
function forget(owner: OwnersToken, log: Log): true {
  try {
    if (owner.forgetText())
      log({}, "the owner's token is no longer in a file; to have another: shellphone token rotate owner")
  } catch (error) {
    log({ reason: (error as Error).message }, "the owner's token stays in its file")
  }
  return true
}

/** null: the owner, or who came through a fleet, whose rights have no row. Throws UNAUTHORIZED where it holds no longer. */
function rowOfMaker({ id, created_at }: Who, rows: TokenRow[]): TokenRow | null {
  if (created_at === ALWAYS) return null
  const row = rows.find((one) => one.id === id)
  if (row) return row
  throw new ShellphoneError('UNAUTHORIZED', 'The token that creates it is no longer valid')
}

const boundTo = <Rights extends Omit<TokenInput, 'name'>>(
  maker: TokenRow | null,
  rights: Rights,
  nowMs: number,
): Rights => (maker === null ? rights : withinMaker(rights, maker, nowMs))

function named(rows: TokenRow[], name: string): TokenRow {
  const row = rows.find((one) => one.name === name)
  if (row) return row
  throw new ShellphoneError('NOT_FOUND', `No token has the name ${name}`)
}

const withoutSecret = ({ sha256: _digest, ...row }: TokenRow): Token => row

/** The same secret and rights: what is open by one is open by the other. */
const isSame = (a: TokenRow, b: TokenRow) => isDeepStrictEqual(granted(a), granted(b))

function toRow({ expires_in_days: days, ...input }: TokenInput, token: string, nowMs: number): TokenRow {
  return {
    ...DEFAULT_RIGHTS,
    id: newId(),
    addresses: [],
    ...input,
    created_at: toIso(nowMs),
    expires_at: days === undefined ? null : toIso(Math.round(nowMs + days * 86_400_000)),
    last_used_at: null,
    sha256: hash('sha256', token),
  }
}

function checkNew({ name, addresses = [] }: TokenInput, rows: TokenRow[]): void {
  if (name === OWNER.name || rows.some((row) => row.name === name)) {
    throw new ShellphoneError('CONFLICT', `A token with the name ${name} already exists: rotate or revoke it`, {
      field: 'name',
    })
  }
  if (rows.length >= MAX_TOKENS) {
    throw new ShellphoneError('CONFLICT', `There are already ${MAX_TOKENS} tokens, the maximum: revoke one`)
  }
  for (const text of addresses) networkOf(text)
}
