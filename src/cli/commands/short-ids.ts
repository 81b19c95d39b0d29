import { commandCell } from '../print/index.ts'
import { RUN_ID_LENGTH, UsageError, visible } from '../../shared/schema/index.ts'
import type { RunSummary } from '../../sdk/index.ts'
import type { Client } from './connect-service.ts'

/** The fewest characters with which an id can be shortened. */
const MIN_CHARACTERS = 4
const APPROVAL_ID_LENGTH = 16
/** How many ids with the same beginning an error lists. */
const MAX_LISTED = 10

interface Named {
  id: string
  command: string
}

/** Resolves with the id of the run that starts with `text`, which is at least 4 characters of an id. Rejects with UsageError if several do. */
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

const isShort = (text: string, length: number) =>
  text.length >= MIN_CHARACTERS && text.length < length && /^[0-9a-z]+$/.test(text)

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
