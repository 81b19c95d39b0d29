import { PhoneError, type RunRecord } from '../../sdk/index.ts'
import { pathWord, visible } from '../../shared/schema/index.ts'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { newKey } from '../run/draft.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'

const { files: texts } = rareWords

/**
 * Runs a command. If it fails, throws its error message (default: `failed`). With its key, it survives a reload of the page, which may happen while
 * it waits for approval.
 */
export async function runCommand(command: string, failed: string): Promise<void> {
  const options = { method: 'POST', body: { command }, headers: { 'idempotency-key': newKey() }, signal: noTimeout() }
  const response = await ask((phone) => phone.request('/exec', options))
  const { exit_code, status, stderr, decision } = (await response.json()) as RunRecord
  if (status === 'canceled') throw new Error(words.approvals.outcome.withdrawn)
  if (exit_code !== 0) throw new Error(visible(stderr.trim() || decision.reason || failed))
}

/** What a deletion deletes: a file or a link, an empty directory, or entries and directories with everything in them. */
export type Deleted = 'file' | 'directory' | 'tree'

const deleters: Record<Deleted, string> = { file: 'rm', directory: 'rmdir', tree: 'rm -r' }

const deletionOf = (paths: string[], what: Deleted): string => `${deleters[what]} -- ${paths.map(pathWord).join(' ')}`

/** Deletes entries. The request for it in the file routes would end with the page. */
export const deletePaths = (paths: string[], what: Deleted): Promise<void> =>
  runCommand(deletionOf(paths, what), texts.notRemoved)

/** Whether a command deletes exactly these entries. */
export const isDeletionOf =
  (paths: string[]) =>
  (command: string): boolean =>
    Object.keys(deleters).some((what) => command === deletionOf(paths, what as Deleted))

/** Why a change was not made; a denial says that it is one. */
export const whyNot = (error: unknown): string =>
  error instanceof PhoneError && error.type === 'denied' ? texts.denied(visible(error.message)) : messageOf(error)
