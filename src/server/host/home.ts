import { createHmac, hash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SettingError, ShellphoneError, UsageError } from '../../shared/schema/index.ts'
import { FORMAT_TEXT, needsFormat } from './home-format.ts'
import { makeDirectory } from './make-directory.ts'
import { lockHolder, type StatOf, takeLock } from './lock.ts'

/** The file that contains the address at which this machine reaches the service, while the service listens. */
export const ADDRESS_FILE = 'address'

const LOCK_FILE = 'lock'

/** A shorter token can be guessed, so the service accepts it only on loopback. */
export const MIN_TOKEN_CHARACTERS = 16

/** The owner's token: from SHELLPHONE_TOKEN, from a file in plain text, or only as its SHA-256. */
export interface OwnersToken {
  sha256: string
  /** in characters; null: only the owner knows the token */
  length: number | null
  /** Replaces the token; after that no file contains it in plain text. Throws CONFLICT if SHELLPHONE_TOKEN sets it. */
  replace(sha256: string): void
  /**
   * Removes the file that contains the token in plain text, and returns whether it did. Keeps a short token, because each start checks its
   * length. Throws the errors of the file system.
   */
  forgetText(): boolean
}

/** $SHELLPHONE_HOME, made private (0700), with its files: the token, the keys of the command line and of the marks, and the lock. */
export interface Home {
  directory: string
  owner: OwnersToken
  /** the first part of every mark that the services of this home set on their processes */
  markKey: string
  /** proves that an answer comes from shellphone's own command line, which can read the home */
  cliKey: string
  /** messages about damaged files that were replaced */
  warnings: string[]
  /** Returns a small file in the home (0600), read as a whole and replaced atomically. A power loss can lose a `note`, and part of an `append`. */
  file(name: string): ReturnType<typeof privateFile>
  /** releases the lock */
  release(): void
}

/** Opens the home for one service at a time. Throws SettingError. */
export function openHome(directory: string, fixedToken: string | null, statOf: StatOf): Home {
  try {
    makeDirectory(directory, 0o700)
    makePrivate(directory, 0o700)
  } catch (error) {
    throw new UsageError(
      `setting SHELLPHONE_HOME: expected a directory that can be made private, got ${(error as Error).message}`,
    )
  }
  const formatFile = join(directory, 'format')
  const isUnnumbered = needsFormat(formatFile)
  const release = takeLock(join(directory, LOCK_FILE), statOf)
  const owner = fixedToken === null ? storedOwnersToken(directory) : fixedOwnersToken(fixedToken)
  const { cliKey, warnings } = storedCliKey(join(directory, 'cli'))
  if (isUnnumbered) storeFormat(formatFile)
  // every command can see the mark, which reveals nothing about the other key
  const markKey = createHmac('sha256', cliKey).update('mark').digest('hex').slice(0, 32)
  return { directory, owner, markKey, cliKey, warnings, file: (name) => privateFile(join(directory, name)), release }
}

/** The pid of the service that uses this home; null: none does. */
export const homeHolder = (directory: string, statOf: StatOf): number | null =>
  lockHolder(join(directory, LOCK_FILE), statOf)

function storeFormat(path: string): void {
  try {
    replaceFile(path, FORMAT_TEXT)
  } catch {
    // on a full disk; a later start stores it
  }
}

function fixedOwnersToken(token: string): OwnersToken {
  const replace = () => {
    throw new ShellphoneError(
      'CONFLICT',
      "The environment variable SHELLPHONE_TOKEN sets the owner's token: change it there",
    )
  }
  return { sha256: hash('sha256', checkedToken(token)), length: token.length, replace, forgetText: () => false }
}

const newSecret = () => randomBytes(32).toString('base64url')
const SECRET_CHARACTERS = 43

/** Reads the key of the command line. Replaces a truncated key, which could be guessed; no client outside the home depends on it. */
function storedCliKey(path: string): { cliKey: string; warnings: string[] } {
  const known = secretFile(path).trim()
  if (known.length >= SECRET_CHARACTERS) return { cliKey: known, warnings: [] }
  rmSync(path, { force: true })
  return { cliKey: secretFile(path).trim(), warnings: [`${path} was truncated: it has been replaced`] }
}

/** Reads the stored token or hash, or creates a token in plain text if neither exists. Throws SettingError if a file is damaged. */
function storedOwnersToken(directory: string): OwnersToken {
  const [hashFile, textFile] = [join(directory, 'owner.sha256'), join(directory, 'token')]
  const known = existsSync(hashFile) ? readHash(hashFile) : null
  const storeHash = (sha256: string) => {
    replaceFile(hashFile, `${sha256}\n`)
    rmSync(textFile, { force: true })
    owner.length = null
  }
  const text = known === null ? readText(textFile) : null
  const owner: OwnersToken = {
    sha256: known ?? hash('sha256', text!),
    length: text?.length ?? null,
    replace(sha256) {
      storeHash(sha256)
      owner.sha256 = sha256
    },
    forgetText() {
      if (owner.length === null || owner.length < MIN_TOKEN_CHARACTERS) return false
      storeHash(owner.sha256)
      return true
    },
  }
  if (text === null) rmSync(textFile, { force: true }) // a power loss may have interrupted storeHash
  return owner
}

/** Reads the hash of the token. Throws SettingError for a damaged one, because only the owner may decide to replace the token. */
function readHash(path: string): string {
  const text = readOwn(path).trim()
  if (/^[0-9a-f]{64}$/.test(text)) return text
  throw new SettingError(
    `${path}: expected the SHA-256 of the owner's token in 64 hexadecimal digits, got ${text.length} characters; restore the file, or delete it to get a new token`,
  )
}

/** Reads the token. Throws SettingError for a truncated one, which would be a different token and easier to guess. */
function readText(path: string): string {
  const line = secretFile(path)
  const text = line.trim()
  if (line.endsWith('\n') || text.length >= SECRET_CHARACTERS) return checkedToken(text)
  throw new SettingError(
    `${path}: expected a token and a line break, got ${text.length} characters without a line break, so the file may be truncated; write the whole token, or delete the file to get a new one`,
  )
}

/** Returns the token; throws UsageError if it contains invalid characters. */
function checkedToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new UsageError(
    'setting SHELLPHONE_TOKEN: expected visible ASCII characters without spaces, got other characters',
  )
}

/** Returns functions for a small file (0600), which is read as a whole and replaced atomically. */
export const privateFile = (path: string) => ({
  read: () => (existsSync(path) ? readFileSync(path, 'utf8') : null),
  write: (text: string) => replaceFile(path, text),
  note: (text: string) => replaceFile(path, text, false),
  append: (text: string) => appendFileSync(path, text, { mode: 0o600 }),
  remove: () => rmSync(path, { force: true }),
})

/** Removes the rights of all other users. Throws if another user owns the path, because that user may know its content or restore the rights. */
function makePrivate(path: string, mode: number): void {
  const { uid, mode: found } = statSync(path)
  const own = process.getuid?.()
  if (own !== undefined && uid !== own) throw new Error(`${path}, which belongs to user ${uid}, not to ${own}`)
  if (found & 0o077) chmodSync(path, mode)
}

/** Returns a function that restores the current mode of a directory and returns whether the mode had changed. */
export function keepMode(path: string): () => boolean {
  const { mode } = statSync(path)
  return () => {
    if (statSync(path).mode === mode) return false
    chmodSync(path, mode)
    return true
  }
}

/** Reads a secret of one line, unchanged. Creates the file (0600) with a new secret if it is missing or empty. */
function secretFile(path: string): string {
  const known = readOwn(path)
  if (known.trim() !== '') return known
  try {
    replaceFile(path, `${newSecret()}\n`)
  } catch (error) {
    throw new SettingError((error as Error).message)
  }
  return readOwn(path)
}

/** Reads a file and makes it private. Returns '' if the file is missing, or empty because the disk was full. */
function readOwn(path: string): string {
  try {
    if (!existsSync(path)) return ''
    makePrivate(path, 0o600)
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new SettingError((error as Error).message)
  }
}

/** Replaces a file (0600) atomically, even if this process or, with `flush`, the machine crashes. Throws the errors of the file system. */
export function replaceFile(path: string, text: string, flush = true): void {
  const aside = `${path}.new`
  rmSync(aside, { force: true }) // an existing file could have other rights
  try {
    writeFileSync(aside, text, { mode: 0o600, flush })
    renameSync(aside, path)
    if (flush) flushNames(dirname(path))
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Flushes the directory, so that a revoked token does not return after a power loss. Ignores file systems that do not support it. */
function flushNames(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch {
    // the file itself has been replaced and flushed
  }
}
