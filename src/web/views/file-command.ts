import { PhoneError, type RunRecord } from '../../sdk/index.ts'
import { pathWord, shellWord, visible } from '../../shared/schema/index.ts'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'

const { files: texts } = rareWords

/** Runs a command, for what the file routes have no operation. If it fails, throws its error message (default: `failed`). */
export async function runCommand(command: string, failed: string): Promise<void> {
  const body = { command }
  const response = await ask((phone) => phone.request('/exec', { method: 'POST', body, signal: noTimeout() }))
  const { exit_code, status, stderr, decision } = (await response.json()) as RunRecord
  if (status === 'canceled') throw new Error(words.approvals.outcome.withdrawn)
  if (exit_code !== 0) throw new Error(visible(stderr.trim() || decision.reason || failed))
}

/** Deletes a file, a link or an empty directory. */
export const deleteEntry = (path: string): Promise<unknown> =>
  ask((phone) => phone.request('/files', { method: 'DELETE', query: { path }, signal: noTimeout() }))

const treeCommand = (paths: string[]): string => `rm -r -- ${paths.map(pathWord).join(' ')}`

/** Deletes entries, and directories with everything in them: the file routes delete no directory with entries. */
export const deleteTrees = (paths: string[]): Promise<void> => runCommand(treeCommand(paths), texts.notRemoved)

/** Whether a command deletes exactly these entries. */
export const isDeletionOf =
  (paths: string[]) =>
  (command: string): boolean =>
    command === treeCommand(paths) ||
    (paths.length === 1 && ['rm', 'rmdir'].some((name) => command === `${name} ${shellWord(paths[0]!)}`))

/** Why a change was not made; a denial says that it is one. */
export const whyNot = (error: unknown): string =>
  error instanceof PhoneError && error.type === 'denied' ? texts.denied(visible(error.message)) : messageOf(error)
