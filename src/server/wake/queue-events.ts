import { createHash } from 'node:crypto'
import type { StoredRunEvent } from '../exec/index.ts'
import { isRunOf, mayTake, sharerOf, type WakeType, type Who } from '../../shared/schema/index.ts'
import type { DeliveryLog } from './delivery-log.ts'
import { toEventId, toWakeEvent } from './event-feed.ts'
import type { WebhookRow } from './webhook-rows.ts'

/** Maximum number of events that wait, of all webhooks together. A token leaves as much room as it uses. */
const MAX_WAITING = 1000

/** Whether a webhook gets this event. */
export function isFor(row: WebhookRow, event: StoredRunEvent, holderOf: (tokenId: string) => Who | undefined): boolean {
  const who = row.is_gone ? undefined : holderOf(row.token_id)
  return who !== undefined && isWanted(event, row, who)
}

/** Whether an event has one of these types, and is of a run that the token may read. A session is one of the token itself. */
export function isWanted(
  event: StoredRunEvent,
  { types, session }: { types: readonly WakeType[]; session?: string | undefined },
  who: Who,
): boolean {
  if (!types.includes(event.type)) return false
  if (session !== undefined) return session === event.session && isRunOf(event, who)
  return who.read === 'all' || isRunOf(event, who)
}

/** Adds an event for a webhook. Returns false if too many wait already. */
export function addEvent(
  row: WebhookRow,
  event: StoredRunEvent,
  all: Map<string, WebhookRow>,
  queue: DeliveryLog,
  nowMs: number,
): boolean {
  const waiting = [...queue.waiting.values()]
  const own = waiting.filter(({ webhook }) => all.get(webhook)?.token_id === row.token_id).length
  const usage = { own, taken: waiting.length, most: MAX_WAITING }
  if (!mayTake(sharerOf({ id: row.token_id }), usage)) return false
  const id = `msg_${digestOf(row.id, event.type, event.run_id, event.at)}`
  const position = toEventId(event.position)
  queue.put({ id, webhook: row.id, event: toWakeEvent(event), tries: 0, due_ms: nowMs, position })
  return true
}

/** The same event of the same webhook always has the same id, so that a receiver recognises it if a crash repeats it. */
const digestOf = (...parts: string[]) => createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 27)
