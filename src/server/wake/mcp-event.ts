import { createHash } from 'node:crypto'
import { isLater } from '../exec/index.ts'
import type { WakeEvent } from '../../shared/schema/index.ts'
import type { DeliveryLog, Waiting } from './delivery-log.ts'
import { toEventId, toPosition } from './event-feed.ts'
import type { WebhookRow } from './webhook-rows.ts'

/** An event as MCP Events words it (SEP-3415, EventOccurrence). */
export interface McpEvent {
  /** the same in each subscription and in each poll, so that a client recognises an event that it already has */
  eventId: string
  name: WakeEvent['type']
  timestamp: string
  data: WakeEvent['data']
}

export function toMcpEvent({ type, timestamp, data }: WakeEvent): McpEvent {
  const digest = createHash('sha256').update([type, data.run_id, timestamp].join('\n')).digest('base64url')
  return { eventId: `evt_${digest.slice(0, 27)}`, name: type, timestamp, data }
}

/** The message of a try: that of a webhook, or of the subscription of an MCP client. */
export function toMessage(
  { id, event, position }: Waiting,
  { id: webhook, name, subscription }: WebhookRow,
  queue: DeliveryLog,
): { id: string; headers: Record<string, string>; body: string } {
  if (subscription === undefined) return { id, headers: {}, body: JSON.stringify(event) }
  const mcpEvent = toMcpEvent(event)
  const body = JSON.stringify({ ...mcpEvent, cursor: watermark(webhook, queue, position) })
  return { id: mcpEvent.eventId, headers: { 'x-mcp-subscription-id': name }, body }
}

/**
 * The last position up to `end` from which a client can resume without missing an event: before the first event that waits for this webhook.
 * Null: the history is not on disk.
 */
export function watermark(webhook: string, queue: DeliveryLog, end: string | null): string | null {
  if (end === null) return null
  const first = [...queue.waiting.values()]
    .flatMap((one) => (one.webhook === webhook && one.position !== null ? [toPosition(one.position)] : []))
    .reduce((earliest, one) => (isLater(earliest, one) ? one : earliest), toPosition(end))
  return toEventId(isLater(toPosition(end), first) ? { ...first, offset: first.offset - 1 } : first)
}
