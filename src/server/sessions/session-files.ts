import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isTemporaryName, temporaryName } from '../../shared/schema/index.ts'
import { isState, type SessionState } from './session-state.ts'

/** A session as its file contains it. */
export interface StoredSession extends SessionState {
  token: string
  name: string
  /** counts the changes */
  revision: number
  /** when a command used it last, in ms since 1970 */
  used_at: number
  /** names in `set` whose value a decision or a person has allowed */
  known: string[]
  /** names of variables that are not written to disk, because they look like secrets; a restart loses them */
  withheld: string[]
}

/** Longer than any state: JSON escapes a character with at most six. */
const MAX_FILE_BYTES = 2_097_152

/** Stores each session as a file of its own: `sessions/TOKEN/NAME.json`, where TOKEN is a hash of the token's id. */
export function createSessionFiles(folder: string, warn: (facts: object, sentence: string) => void) {
  const folderOf = (token: string) => join(folder, createHash('sha256').update(token).digest('hex').slice(0, 32))
  const fileOf = ({ token, name }: Pick<StoredSession, 'token' | 'name'>) => join(folderOf(token), `${name}.json`)
  /** Removes a file that cannot be used. */
  function discard(path: string, reason: string): void {
    warn({ file: path, reason }, 'a session was discarded, because its file is damaged')
    rmSync(path, { force: true, recursive: true })
  }
  return {
    /** Writes a session by rename, so that a crash leaves the old file or the new one. Warns if the disk refuses. */
    write(session: StoredSession): void {
      const path = join(folderOf(session.token), temporaryName())
      try {
        mkdirSync(folderOf(session.token), { recursive: true, mode: 0o700 })
        writeFileSync(path, JSON.stringify(session), { flag: 'wx', mode: 0o600 })
        renameSync(path, fileOf(session))
      } catch (error) {
        rmSync(path, { force: true })
        warn({ reason: (error as Error).message }, 'a session could not be stored, so a restart loses its latest state')
      }
    },
    remove(session: Pick<StoredSession, 'token' | 'name'>): void {
      rmSync(fileOf(session), { force: true })
    },
    /** Reads all sessions, and removes what is damaged or incomplete. */
    read(): StoredSession[] {
      const found: StoredSession[] = []
      for (const owner of namesIn(folder)) {
        for (const name of namesIn(join(folder, owner))) {
          const path = join(folder, owner, name)
          if (isTemporaryName(name)) rmSync(path, { force: true })
          else {
            const session = readSession(path)
            if (typeof session === 'string') discard(path, session)
            else if (fileOf(session) !== path) discard(path, 'it has the name of another session')
            else found.push(session)
          }
        }
      }
      return found
    },
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // missing, or no folder
  }
}

/** Returns the session that a file contains, or the reason why the file cannot be used. */
function readSession(path: string): StoredSession | string {
  try {
    const { size } = statSync(path)
    if (size > MAX_FILE_BYTES) return `expected at most ${MAX_FILE_BYTES} bytes, got ${size}`
    const value = JSON.parse(readFileSync(path, 'utf8')) as StoredSession
    return isState(value) && isStored(value) ? value : 'expected a session, got another value'
  } catch (error) {
    return (error as Error).message
  }
}

const isStored = ({ token, name, revision, used_at, known, withheld }: StoredSession): boolean =>
  [token, name].every((text) => typeof text === 'string') &&
  [revision, used_at].every(Number.isFinite) &&
  [known, withheld].every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string'))
