import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from '../schema/index.ts'
import { type StatOf, takeLock } from './lock.ts'

/** $SHELLPHONE_HOME, made private (0700), with what lies in it: the token, the key of our marks, the lock. */
export interface Home {
  directory: string
  token: string
  /** first part of every mark that this home's services put on their processes */
  markKey: string
  /** gives the lock back */
  release(): void
}

/** Opens the home: one service at a time. Throws SettingError in one clear line. */
export function openHome(directory: string, givenToken: string | null, statOf: StatOf): Home {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if (statSync(directory).mode & 0o077) chmodSync(directory, 0o700)
  } catch (error) {
    throw new SettingError(
      `setting SHELLPHONE_HOME: expected a folder that can be made private, got ${(error as Error).message}`,
    )
  }
  const release = takeLock(join(directory, 'lock'), statOf)
  const token = givenToken ?? secretFile(join(directory, 'token'), () => randomBytes(32).toString('base64url'))
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new SettingError(
      'setting SHELLPHONE_TOKEN: expected visible ASCII characters without spaces, got something else',
    )
  }
  return {
    directory,
    token,
    markKey: secretFile(join(directory, 'mark'), () => randomBytes(16).toString('hex')),
    release,
  }
}

/** Reads a secret of one line; makes it, 0600, where there is none. */
function secretFile(path: string, make: () => string): string {
  try {
    writeFileSync(path, `${make()}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw new SettingError((error as Error).message)
  }
  if (statSync(path).mode & 0o077) chmodSync(path, 0o600)
  return readFileSync(path, 'utf8').trim()
}
