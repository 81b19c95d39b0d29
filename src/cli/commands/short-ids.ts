import { commandCell } from '../print/index.ts'
import { RUN_ID_LENGTH, UsageError, visible } from '../../shared/schema/index.ts'
import type { RunSummary } from '../../sdk/index.ts'
import { type Client, ClientError } from './connect-service.ts'

const APPROVAL_ID_LENGTH = 16
/** How many ids with the same beginning an error lists. */
const MAX_LISTED = 10

interface Named {
  id: string
  command: string
}

/** The ids of the runs that a command line names: by their beginnings, or with --last the newest one that this token started. Rejects with UsageError. */
export async function runIdsFor(
  subcommand: string,
  client: Client,
  operands: string[],
  options: ReadonlyMap<string, string>,
): Promise<string[]> {
  if (options.has('last') === operands.length > 0) {
    const got = options.has('last') ? 'both' : 'nothing'
    throw new UsageError(`${subcommand}: expected either ID or --last, got ${got}; see shellphone ${subcommand} --help`)
  }
  if (options.has('last')) return [await newestRunId(client)]
  const ids: string[] = []
  for (const text of operands) ids.push(await runIdFor(client, text))
  return ids
}

/** Skips copies of files, which are runs too. */
async function newestRunId({ request }: Client): Promise<string> {
  const { runs } = await request<{ runs: RunSummary[] }>('GET', '/runs?own=true&limit=1000')
  const newest = runs.find(({ dialect }) => dialect !== 'files')
  if (newest) return newest.id
  throw new ClientError('--last: your token has started no run; list other runs with shellphone history')
}

/** Resolves with the id of the run that starts with `text`. Rejects with UsageError if several do. */
export async function runIdFor({ request }: Client, text: string): Promise<string> {
  if (!isShort(text, RUN_ID_LENGTH)) return text
  const before = text.padEnd(RUN_ID_LENGTH + 1, 'z') // above every id in question; ids are listed in descending order, so these come first
  const { runs } = await request<{ runs: RunSummary[] }>('GET', `/runs?limit=${MAX_LISTED + 1}&before=${before}`)
  return onlyOne(text, runs)
}

/** The same for an approval request or a saved approval. */
export async function approvalIdFor(client: Client, text: string, kind: 'approvals' | 'rules'): Promise<string> {
  if (!isShort(text, APPROVAL_ID_LENGTH)) return text
  const answer = await client.request<Record<typeof kind, Named[]>>('GET', '/approvals')
  return onlyOne(text, answer[kind])
}

const isShort = (text: string, length: number) => text.length < length && /^[0-9a-z]+$/.test(text)

/** The id that starts with `text`; `text` itself if none does, which the service then reports. */
function onlyOne(text: string, all: Named[]): string {
  const found = all.filter(({ id }) => id.startsWith(text))
  if (found.length <= 1) return found[0]?.id ?? text
  const listed = found.slice(0, MAX_LISTED).map(({ id, command }) => `\n  ${visible(id)}  ${commandCell(command)}`)
  const more = found.length > MAX_LISTED ? '\n  …' : ''
  throw new UsageError(
    `${text}: expected the beginning of one id, got that of several; type more characters:${listed.join('')}${more}`,
  )
}
