import { PhoneError, type RunRecord } from '../../sdk/index.ts'
import { pathWord, shellWord, visible } from '../../shared/schema/index.ts'
import { deniedBy } from '../run/run-card.tsx'
import { newKey } from '../run/draft.ts'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'

const { files: texts } = rareWords
const outcomes: Record<string, string> = words.approvals.outcome

/** Why a run made no change, or not all of it; empty: it made the change. */
export function failureOf({ status, started_at, exit_code, stderr, decision, approval }: RunRecord): string {
  if (status === 'canceled') return started_at === null ? words.approvals.outcome.withdrawn : words.status.canceled
  if (status === 'denied') {
    const reason = visible(decision.reason ?? '')
    if (!approval) return texts.denied(reason)
    const answer = approval.outcome === 'denied' ? deniedBy(approval) : outcomes[approval.outcome]
    return [answer, reason].filter(Boolean).join(' · ')
  }
  return exit_code === 0 ? '' : visible(stderr.trim() || texts.notChanged)
}

/** The same of a run that has ended, by its id. Never rejects. */
export const failureIn = (id: string): Promise<string> => ask((phone) => phone.record(id)).then(failureOf, messageOf)

/** The error in the body of a response that has no success: of the service, or why the guards or a person denied the change. */
export function errorIn(status: number, body: unknown): PhoneError {
  const { error, ...record } = (body ?? {}) as { error?: { type: string; message: string } } & Partial<RunRecord>
  if (record.status !== undefined) return new PhoneError('denied', failureOf(record as RunRecord), null, { status })
  return new PhoneError(error?.type ?? 'unreachable', error?.message ?? `HTTP ${status}`, null, { status })
}

/** The commands that this page has requested, until they have ended. */
const requested = new Set<string>()

export const isRequested = (command: string): boolean => requested.has(command)

/**
 * Runs a command. Throws PhoneError, and an error with the message of a command that failed. With its key, it survives a reload of the page,
 * which may happen while it waits for approval.
 */
export async function runCommand(command: string): Promise<void> {
  const headers = { 'idempotency-key': newKey() }
  requested.add(command)
  try {
    const failure = await ask(async (phone) => {
      const options = { method: 'POST', body: { command }, headers, signal: noTimeout(), anyStatus: true }
      const response = await phone.request('/exec', options)
      const body: unknown = await response.json().catch(() => null)
      if (!response.ok) throw errorIn(response.status, body)
      return failureOf(body as RunRecord)
    })
    if (failure !== '') throw new Error(failure)
  } finally {
    requested.delete(command)
  }
}

/** What a deletion deletes: a file or a link, an empty directory, or entries and directories with everything in them. */
export type Deleted = 'file' | 'directory' | 'tree'

const deleters: Record<Deleted, string> = { file: 'rm', directory: 'rmdir', tree: 'rm -r' }

const deletionOf = (paths: string[], what: Deleted): string => `${deleters[what]} -- ${paths.map(pathWord).join(' ')}`

/** Deletes entries. The request for it in the file routes would end with the page. */
export const deletePaths = (paths: string[], what: Deleted): Promise<void> => runCommand(deletionOf(paths, what))

/** Whether a command deletes exactly these entries. */
export const isDeletionOf =
  (paths: string[]) =>
  (command: string): boolean =>
    Object.keys(deleters).some((what) => command === deletionOf(paths, what as Deleted))

/** Fails if the new name exists, where mv would replace the file, or move the entry into the directory. */
export function renameCommand(path: string, target: string): string {
  const to = pathWord(target)
  const fail = `{ echo ${shellWord(texts.nameTaken)} >&2; exit 1; }`
  return `if [ -e ${to} ] || [ -L ${to} ]; then ${fail}; fi; mv -n -- ${pathWord(path)} ${to}`
}

/** The new path that a command gives to the entry; null: it does not rename the entry. */
export function renamedTo(path: string, command: string): string | null {
  const before = `; mv -n -- ${pathWord(path)} `
  const word = command.slice(command.lastIndexOf(before) + before.length)
  const target = word.replace(/'([^']*)'|\\(.)/g, '$1$2')
  return command === renameCommand(path, target) ? target : null
}

/** Whether a command renames the entry. */
export const isRenamingOf =
  (path: string) =>
  (command: string): boolean =>
    renamedTo(path, command) !== null

/** Whether a command deletes or renames the entry, and no other. */
export const isChangeOf =
  (path: string) =>
  (command: string): boolean =>
    isDeletionOf([path])(command) || isRenamingOf(path)(command)

/** Whether a command creates a directory, or deletes or renames entries, as this page does. */
export const isChange = (command: string): boolean =>
  /^(mkdir|rm|rmdir|rm -r) -- |^if \[ -e .*; fi; mv -n -- /s.test(command)
