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
import type { AccessLog } from './access-log.ts'
import type { Log } from './access-parts.ts'
import type { OwnCommandLine } from './own-command-line.ts'
import type { FleetCredentials } from './fleet-credentials.ts'
import { DAY_MS, expiryOf, isExpired, watchExpiry } from './token-expiry.ts'
import { createTokenRows, granted, newId, type TokenRow } from './token-rows.ts'

/** Maximum number of named tokens. */
const MAX_TOKENS = 256

export interface Tokens {
  /**
   * The holder of a token shown from `address`; null: the token is unknown, revoked, expired, or not valid for that address. The command line on
   * this machine may send a proof instead; after that, no file needs to contain the owner's token.
   */
  find(text: string, address: string): Who | null
  /** The tokens, in order of creation. */
  list(): Token[]
  /** The rights that `create` would grant for these. Throws FORBIDDEN if `maker` has fewer, UNAUTHORIZED if its token is no longer valid. */
  bound<Rights extends Omit<TokenInput, 'name'>>(rights: Rights, maker: Who): Rights
  /** Creates a token. Throws CONFLICT if the name is taken or there are too many tokens, VALIDATION_ERROR for an invalid address, and the errors of `bound`. */
  create(input: TokenInput, maker?: Who): NewToken
  /**
   * Replaces the secret of a token; the old secret stops working. Throws NOT_FOUND, FORBIDDEN if `maker` has fewer rights or rotates the owner's
   * token without being the owner, and CONFLICT if SHELLPHONE_TOKEN sets the owner's token.
   */
  rotate(name: string, maker?: Who): NewToken
  /** Revokes a token. Throws NOT_FOUND if no token has that name. */
  revoke(name: string): void
  /**
   * Reads the file again. Tokens that are missing from it are revoked. A file that is not a list of tokens changes nothing. Neither does a file
   * that someone else has written, if `mayTake` returns false. Returns whether anything changed.
   */
  reload(mayTake?: () => boolean): boolean
  /** why the file could not be read, as a sentence for the owner; null: no problem */
  problem(): string | null
  /** Calls `listener` with the name of every token that is revoked, rotated or expired, or that is removed from the file or changed in it. */
  onEnd(listener: (name: string) => void): void
  /** Writes the last uses that have not been written yet. */
  close(): void
}

interface TokensParts {
  /** tokens.json in the home directory */
  file: TextFile
  /** the owner's token, which needs no row */
  owner: OwnersToken
  log: Log
  /** records tokens that expire or that someone edits in the file */
  accessLog?: Noted
  /** credentials of requests that arrive through a fleet */
  fleetCredentials?: Pick<FleetCredentials, 'who'>
  /** the command line on this machine, which may send a proof instead of a token */
  commandLine?: OwnCommandLine
  now?(): number
}

/** The owner's token; its SHA-256 is enough to recognise it. */
export interface OwnersToken {
  sha256: string
  /** Replaces the token; no file contains the new token in plain text. Throws CONFLICT if SHELLPHONE_TOKEN sets the token. */
  replace(sha256: string): void
  /** Removes the file that contains the token in plain text; false: there is no such file. Throws the errors of the file system. */
  forgetText(): boolean
}

const newSecret = () => randomBytes(32).toString('base64url')

/** Tokens are stored and looked up as SHA-256, so that neither the file nor the time of a lookup reveals a token. */
export function createTokens(parts: TokensParts): Tokens {
  const { owner, log, accessLog, fleetCredentials, commandLine, now = Date.now } = parts
  const listeners: ((name: string) => void)[] = []
  const rows = createTokenRows(parts.file, log)
  const end = (name: string) => listeners.forEach((listener) => listener(name))
  const ends = watchExpiry(rows.all, notingExpiry(accessLog, end), now)
  const replace = (all: TokenRow[]) => {
    rows.replace(all)
    ends.check()
  }
  return {
    find(text, address) {
      const digest = hash('sha256', text)
      const isProven = commandLine?.proves(text) === true && forget(owner, log)
      const known = isProven || digest === owner.sha256 ? OWNER : fleetCredentials?.who(text)
      if (known) return known
      const row = rows.all().find((one) => one.sha256 === digest)
      if (!row || isExpired(row, now()) || !isFrom(row.addresses, address)) return null
      Object.assign(row, { last_used_at: toIso(now()), last_used_from: toPlainAddress(address) })
      rows.writeLater()
      return row
    },
    list: () => rows.all().map(withoutSecret),
    bound: (rights, maker) => boundTo(rowOfMaker(maker, rows.all()), rights, now()),
    create(input, maker = OWNER) {
      checkNew(input, rows.all())
      const [token, nowMs] = [newSecret(), now()] // one time for both calculations, because both count days from it
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
      const revoked = named(rows.all(), name)
      replace(rows.all().filter((one) => one !== revoked))
      end(name)
    },
    reload(mayTake = () => true) {
      const before = rows.all()
      rows.read(mayTake)
      noteEdits(accessLog, before, rows.all()).forEach(end)
      ends.check()
      return !isDeepStrictEqual(rows.all().map(granted), before.map(granted))
    },
    problem: rows.problem,
    onEnd: (listener) => void listeners.push(listener),
    close() {
      ends.close()
      rows.close()
    },
  }
}

function rotateOwners(owner: OwnersToken, maker: Who, end: (name: string) => void): NewToken {
  if (maker.id !== OWNER.id) throw new ShellphoneError('FORBIDDEN', "Only the owner may rotate the owner's token")
  const token = newSecret()
  owner.replace(hash('sha256', token))
  setImmediate(end, OWNER.name) // after the response, which may use a connection of the owner
  return { ...OWNER, addresses: [], expires_at: null, idle_days: null, last_used_at: null, token }
}

/** Removes the file with the owner's token, which is no longer needed. Returns true even if the file cannot be removed. */
function forget(owner: OwnersToken, log: Log): true {
  try {
    if (owner.forgetText())
      log({}, "the owner's token is no longer stored in a file; to get a new one, run shellphone token rotate owner")
  } catch (error) {
    log({ reason: (error as Error).message }, "the file with the owner's token could not be removed")
  }
  return true
}

/** The maker's row; null: the owner or a caller from a fleet, who has no row. Throws UNAUTHORIZED if the maker's token is no longer valid. */
function rowOfMaker({ id, created_at }: Who, rows: TokenRow[]): TokenRow | null {
  if (created_at === ALWAYS) return null
  const row = rows.find((one) => one.id === id)
  if (row) return row
  throw new ShellphoneError('UNAUTHORIZED', 'The token that creates this one is no longer valid')
}

const boundTo = <Rights extends Omit<TokenInput, 'name'>>(
  maker: TokenRow | null,
  rights: Rights,
  nowMs: number,
): Rights => (maker === null ? rights : withinMaker(rights, maker, nowMs))

function named(rows: TokenRow[], name: string): TokenRow {
  const row = rows.find((one) => one.name === name)
  if (row) return row
  throw new ShellphoneError('NOT_FOUND', `No token has the name ${name}; list tokens to find its name`)
}

/** A row as clients see it: without its secret, and with the time at which it expires unless it is used before. */
function withoutSecret(row: TokenRow): Token {
  const { sha256: _digest, ...shown } = row
  const expiry = expiryOf(row)
  return { ...shown, expires_at: Number.isFinite(expiry) ? toIso(expiry!) : shown.expires_at }
}

type Noted = Pick<AccessLog, 'note'> | undefined

/** Returns a function that records the expiry of a token, then calls `end`. */
function notingExpiry(accessLog: Noted, end: (name: string) => void): (name: string) => void {
  return (name) => {
    accessLog?.note({ what: 'token_expired', token: name })
    end(name)
  }
}

/** Records the tokens that were added, removed or changed in the file. Returns the names of those that are no longer valid as they were. */
function noteEdits(accessLog: Noted, before: TokenRow[], after: TokenRow[]): string[] {
  const lost = without(before, after).map(({ name }) => name)
  const added = without(after, before).map(({ name }) => name)
  for (const token of new Set([...lost, ...added])) accessLog?.note({ what: 'token_edited', token })
  return lost
}

/** The rows of `all` that `others` does not contain with the same secret and rights. */
const without = (all: TokenRow[], others: TokenRow[]) => all.filter((row) => !others.some((one) => isSame(one, row)))

/** Whether the secret and the rights are the same, so that connections may stay open. */
const isSame = (a: TokenRow, b: TokenRow) => isDeepStrictEqual(granted(a), granted(b))

function toRow({ expires_in_days: days, ...input }: TokenInput, token: string, nowMs: number): TokenRow {
  return {
    ...DEFAULT_RIGHTS,
    id: newId(),
    addresses: [],
    idle_days: null,
    ...input,
    created_at: toIso(nowMs),
    expires_at: days === undefined ? null : toIso(Math.round(nowMs + days * DAY_MS)),
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
