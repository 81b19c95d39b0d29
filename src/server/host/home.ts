import { createHmac, hash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SettingError, ShellphoneError } from '../../shared/schema/index.ts'
import { type StatOf, takeLock } from './lock.ts'

/** Where the service of a home listens, while it does: how this machine reaches it. */
export const ADDRESS_FILE = 'address'

/** A shorter token is guessed in the end: it is for loopback alone. */
export const MIN_TOKEN_CHARACTERS = 16

/** The owner's token: given, in a file in plain text, or its SHA-256 alone. */
export interface OwnersToken {
  sha256: string
  /** null: nobody knows it but the owner */
  length: number | null
  /** Another holds from now on, and no file has it in plain text. Throws CONFLICT where SHELLPHONE_TOKEN gives it. */
  replace(sha256: string): void
  /**
   * Removes the file that has it in plain text; a short one stays, for its length is asked for at each start. False: there is nothing to
   * remove. Throws as fs does.
   */
  forgetText(): boolean
}

/** $SHELLPHONE_HOME, made private (0700), with what lies in it: the token, the key of our command line and of our marks, the lock. */
export interface Home {
  directory: string
  owner: OwnersToken
  /** first part of every mark that this home's services put on their processes */
  markKey: string
  /** shows that an answer comes from our own command line, which can read the home */
  cliKey: string
  /** A small file of it (0600), read whole, replaced at once or not at all; a `note` may be lost with the machine's power. */
  file(name: string): { read(): string | null; write(text: string): void; note(text: string): void; remove(): void }
  /** gives the lock back */
  release(): void
}

/** Opens the home: one service at a time. Throws SettingError in one clear line. */
export function openHome(directory: string, givenToken: string | null, statOf: StatOf): Home {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    makeOwn(directory, 0o700)
  } catch (error) {
    throw new SettingError(
      `setting SHELLPHONE_HOME: expected a directory that can be made private, got ${(error as Error).message}`,
    )
  }
  const release = takeLock(join(directory, 'lock'), statOf)
  const owner = givenToken === null ? keptToken(directory) : givenOwnersToken(givenToken)
  const cliKey = secretFile(join(directory, 'cli'), () => randomBytes(32).toString('base64url'))
  // every command sees it; it tells nothing of the other
  const markKey = createHmac('sha256', cliKey).update('mark').digest('hex').slice(0, 32)
  return { directory, owner, markKey, cliKey, file: (name) => keptFile(join(directory, name)), release }
}

function givenOwnersToken(token: string): OwnersToken {
  const replace = () => {
    throw new ShellphoneError('CONFLICT', "SHELLPHONE_TOKEN says what the owner's token is: set another there")
  }
  return { sha256: hash('sha256', checkedToken(token)), length: token.length, replace, forgetText: () => false }
}

/** A token in plain text is made where there is neither one nor the hash of one. */
function keptToken(directory: string): OwnersToken {
  const [hashFile, textFile] = [join(directory, 'owner.sha256'), join(directory, 'token')]
  const known = readOwn(hashFile)
  const keep = (sha256: string) => {
    replaceFile(hashFile, `${sha256}\n`)
    rmSync(textFile, { force: true })
    owner.length = null
  }
  const text = /^[0-9a-f]{64}$/.test(known)
    ? null
    : checkedToken(secretFile(textFile, () => randomBytes(32).toString('base64url')))
  const owner: OwnersToken = {
    sha256: text === null ? known : hash('sha256', text),
    length: text?.length ?? null,
    replace(sha256) {
      keep(sha256)
      owner.sha256 = sha256
    },
    forgetText() {
      if (owner.length === null || owner.length < MIN_TOKEN_CHARACTERS) return false
      keep(owner.sha256)
      return true
    },
  }
  if (text === null) rmSync(textFile, { force: true }) // the machine may have lost its power in between
  return owner
}

/** Throws SettingError. */
function checkedToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new SettingError(
    'setting SHELLPHONE_TOKEN: expected visible ASCII characters without spaces, got something else',
  )
}

/** A small file (0600), read whole, replaced at once or not at all. */
export const keptFile = (path: string) => ({
  read: () => (existsSync(path) ? readFileSync(path, 'utf8') : null),
  write: (text: string) => replaceFile(path, text),
  note: (text: string) => replaceFile(path, text, false),
  remove: () => rmSync(path, { force: true }),
})

/** Takes every right from others. What another user made is refused: it may hold what that user knows, or take it back. */
function makeOwn(path: string, mode: number): void {
  const { uid, mode: found } = statSync(path)
  const own = process.getuid?.()
  if (own !== undefined && uid !== own) throw new Error(`${path}, which belongs to user ${uid}, not to ${own}`)
  if (found & 0o077) chmodSync(path, mode)
}

/** Returns what gives a folder the mode back that it has now, and says whether it had another. */
export function keepMode(path: string): () => boolean {
  const { mode } = statSync(path)
  return () => {
    if (statSync(path).mode === mode) return false
    chmodSync(path, mode)
    return true
  }
}

/** Reads a secret of one line; makes it, 0600, where there is none. */
function secretFile(path: string, make: () => string): string {
  const known = readOwn(path)
  if (known !== '') return known
  try {
    replaceFile(path, `${make()}\n`)
  } catch (error) {
    throw new SettingError((error as Error).message)
  }
  return readOwn(path)
}

/** A file of one line, private from now on; '': there is none, or it is empty, which a full disk leaves. */
function readOwn(path: string): string {
  try {
    if (!existsSync(path)) return ''
    makeOwn(path, 0o600)
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new SettingError((error as Error).message)
  }
}

/** Replaces a file (0600) at once or not at all, whatever ends this process meanwhile; `flush`: or the machine. Throws as fs does. */
export function replaceFile(path: string, text: string, flush = true): void {
  const aside = `${path}.new`
  rmSync(aside, { force: true }) // another's could have other rights
  try {
    writeFileSync(aside, text, { mode: 0o600, flush })
    renameSync(aside, path)
    if (flush) flushNames(dirname(path))
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Names outlive a loss of power, too: what was revoked does not come back. Some file systems refuse that; then nothing can be done. */
function flushNames(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch {
    // the file itself has been replaced
  }
}
