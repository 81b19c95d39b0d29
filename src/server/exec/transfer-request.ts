import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { withFileErrors } from '../files/index.ts'
import { invalid, shellWord } from '../../shared/schema/index.ts'
import type { AnyRequest } from './command.ts'
import { realpathOfLongest } from './lookups.ts'
import type { ExecutorParts } from './executor-parts.ts'
import { acts, type Transfer, type TransferTarget } from './transfer.ts'

const MAX_PATH_BYTES = 4095

/**
 * Resolves a path and all links in it. `~` stands for the home. `follows`: also resolve the last component. Throws VALIDATION_ERROR if the
 * path is not absolute, and NOT_FOUND or another error if it does not exist.
 */
export async function resolveTarget(
  path: string,
  follows: boolean,
  { commandContext, reach }: ExecutorParts,
): Promise<string> {
  const given = path === '~' || path.startsWith('~/') ? join(commandContext.home, path.slice(1)) : path
  const bytes = Buffer.byteLength(given)
  if (given.includes('\0')) throw wrongPath('expected no NUL character')
  if (bytes > MAX_PATH_BYTES) throw wrongPath(`expected at most ${MAX_PATH_BYTES} bytes, got ${bytes}`)
  if (!given.startsWith('/')) {
    throw wrongPath(`expected an absolute path, or one that starts with ~/, got ${shownPath(path)}`)
  }
  if (given.split('/').includes('..')) throw wrongPath(`expected a path without .., got ${shownPath(path)}`)
  const tidy = resolve(given)
  const isReached = await reach(follows ? tidy : dirname(tidy))
  if (!isReached) throw wrongPath(`the file system does not respond: ${shownPath(path)}`)
  const parent = follows || tidy === '/' ? null : realpathOfLongest(dirname(tidy))
  const real = follows || tidy === '/' ? realpathOfLongest(tidy) : parent && join(parent, basename(tidy))
  if (real !== null) return real
  await withFileErrors(tidy, () => stat(tidy)) // throws the system's error
  throw wrongPath(`cannot follow the links in ${shownPath(path)}`)
}

const shownPath = (path: string) => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
const wrongPath = (message: string) => invalid(`path: ${message}`, 'path')

/** Returns the request for a transfer, with the equivalent command. The command runs in the workspace if the policy sets one. */
export function requestFor(transfer: Transfer, { policy }: ExecutorParts): AnyRequest {
  const { targets, sandbox } = transfer
  const stdin = targets.some(({ act }) => acts[act].stdin)
  return {
    command: targets.map(commandFor).join('\n'),
    dialect: 'files',
    transfer,
    ...(policy.workspace_dir === null ? {} : { working_directory: policy.workspace_dir }),
    ...(stdin ? { stdin: 'open' } : {}),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}

function commandFor({ act, path, argument }: TransferTarget): string {
  const before = argument === undefined ? '' : `${shellWord(argument)} -- `
  return `${acts[act].words} ${before}${shellWord(path)}`
}
