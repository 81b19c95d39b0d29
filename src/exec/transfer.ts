import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { telling } from '../files/index.ts'
import { type Artifact, type CancelSignal, type SandboxName, invalid } from '../schema/index.ts'
import { realpathOfLongest } from './lookups.ts'
import type { ExecutorParts } from './parts.ts'
import type { AnyRequest } from './command.ts'

/**
 * What can be done to a file, each by the command that does the same: as that it is judged, asked about and recorded. To do one more
 * thing, add a row.
 */
export const acts = {
  read: { words: 'cat', writes: false, stdin: false },
  digest: { words: 'sha256sum', writes: false, stdin: false },
  list: { words: 'ls -al', writes: false, stdin: false },
  pack: { words: 'tar -cf -', writes: false, stdin: false },
  write: { words: 'tee', writes: true, stdin: true },
  unpack: { words: 'tar -xf - -C', writes: true, stdin: true },
  remove: { words: 'rm', writes: true, stdin: false },
  removeDirectory: { words: 'rmdir', writes: true, stdin: false },
}

/** What its record says, whatever becomes of it. */
export const TRANSFER_NOTE = 'a transfer of files: the service did it, no process ran'

/** A transfer of files: a run in which no process works, but `work`. */
export interface Transfer {
  act: keyof typeof acts
  /** absolute, its links resolved: `placeOf` */
  path: string
  sandbox?: SandboxName | undefined
  /** Called once it may. Resolves with how it ended; throws ShellphoneError for what the request got wrong. */
  work(allowed: Allowed): Promise<Moved>
}

/** What work goes by. */
export interface Allowed {
  /** of the run */
  id: string
  canceled: CancelSignal
  /** a file of more is too large; null: none is */
  maxFileBytes: number | null
  /** paths that it may not touch */
  hides(path: string): boolean
}

export interface Moved {
  ending: 'completed' | 'canceled'
  /** what was moved: paths, bytes, sha256 where all of it is known */
  artifacts: Artifact[]
  notes: string[]
}

const MAX_PATH_BYTES = 4095

/**
 * Where a path leads, every link on the way resolved; `~` is the home. `follows`: the last name, too. Throws VALIDATION_ERROR for what is
 * no absolute path, NOT_FOUND and the like where it leads nowhere.
 */
export async function placeOf(path: string, follows: boolean, { prepare }: ExecutorParts): Promise<string> {
  const given = path === '~' || path.startsWith('~/') ? join(prepare.home, path.slice(1)) : path
  const bytes = Buffer.byteLength(given)
  if (given.includes('\0')) throw wrongPath('expected no NUL character')
  if (bytes > MAX_PATH_BYTES) throw wrongPath(`expected at most ${MAX_PATH_BYTES} bytes, got ${bytes}`)
  if (!given.startsWith('/')) {
    throw wrongPath(`expected an absolute path, or one that begins with ~/, got ${shownPath(path)}`)
  }
  if (given.split('/').includes('..')) throw wrongPath(`expected no .. in it, got ${shownPath(path)}`)
  const tidy = resolve(given)
  const parent = follows || tidy === '/' ? null : realpathOfLongest(dirname(tidy))
  const real = follows || tidy === '/' ? realpathOfLongest(tidy) : parent && join(parent, basename(tidy))
  if (real !== null) return real
  await telling(tidy, () => stat(tidy)) // the system says why
  throw wrongPath(`its links cannot be followed: ${shownPath(path)}`)
}

const shownPath = (path: string) => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
const wrongPath = (message: string) => invalid(`path: ${message}`, 'path')

/** The command that does the same. A workspace, where there is one, is where it would run. */
export function requestFor({ act, path, sandbox }: Transfer, { policy }: ExecutorParts): AnyRequest {
  const { words, stdin } = acts[act]
  return {
    command: `${words} '${path.replaceAll("'", "'\\''")}'`,
    dialect: 'files',
    ...(policy.workspace_dir === null ? {} : { working_directory: policy.workspace_dir }),
    ...(stdin ? { stdin: 'open' } : {}),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}
