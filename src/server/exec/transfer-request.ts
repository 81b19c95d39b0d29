import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { withFileErrors } from '../files/index.ts'
import { invalid } from '../../shared/schema/index.ts'
import type { AnyRequest } from './command.ts'
import { realpathOfLongest } from './lookups.ts'
import type { ExecutorParts } from './executor-parts.ts'
import { acts, type Transfer } from './transfer.ts'

const MAX_PATH_BYTES = 4095

/**
 * Resolves a path and all links in it; `~` is the home. `follows`: resolve the last component, too. Throws VALIDATION_ERROR if the path is not
 * absolute, NOT_FOUND or another error if it does not exist.
 */
export async function resolveTarget(
  path: string,
  follows: boolean,
  { prepare, reach }: ExecutorParts,
): Promise<string> {
  const given = path === '~' || path.startsWith('~/') ? join(prepare.home, path.slice(1)) : path
  const bytes = Buffer.byteLength(given)
  if (given.includes('\0')) throw wrongPath('expected no NUL character')
  if (bytes > MAX_PATH_BYTES) throw wrongPath(`expected at most ${MAX_PATH_BYTES} bytes, got ${bytes}`)
  if (!given.startsWith('/')) {
    throw wrongPath(`expected an absolute path, or one that starts with ~/, got ${shownPath(path)}`)
  }
  if (given.split('/').includes('..')) throw wrongPath(`expected no .. in it, got ${shownPath(path)}`)
  const tidy = resolve(given)
  const isReached = await reach(follows ? tidy : dirname(tidy))
  if (!isReached) throw wrongPath(`its file system does not answer: ${shownPath(path)}`)
  const parent = follows || tidy === '/' ? null : realpathOfLongest(dirname(tidy))
  const real = follows || tidy === '/' ? realpathOfLongest(tidy) : parent && join(parent, basename(tidy))
  if (real !== null) return real
  await withFileErrors(tidy, () => stat(tidy)) // throws the system's error
  throw wrongPath(`its links cannot be followed: ${shownPath(path)}`)
}

const shownPath = (path: string) => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
const wrongPath = (message: string) => invalid(`path: ${message}`, 'path')

/** The equivalent command of a transfer. It would run in the workspace, if there is one. */
export function requestFor(transfer: Transfer, { policy }: ExecutorParts): AnyRequest {
  const { act, path, sandbox } = transfer
  const { words, stdin } = acts[act]
  return {
    command: `${words} '${path.replaceAll("'", "'\\''")}'`,
    dialect: 'files',
    transfer,
    ...(policy.workspace_dir === null ? {} : { working_directory: policy.workspace_dir }),
    ...(stdin ? { stdin: 'open' } : {}),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}
