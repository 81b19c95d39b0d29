import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RunEvents, StoredRunEvent } from '../exec/index.ts'
import { type Clock, elapsedClock } from '../../shared/async/index.ts'
import { type TextFile, toIso, type Webhook, type Who } from '../../shared/schema/index.ts'
import { createDeliveryLog, type LogFile } from './delivery-log.ts'
import { toEventId, toPosition } from './event-feed.ts'
import { addEvent, isFor } from './queue-events.ts'
import { createSender, type Post, type Sender } from './send-deliveries.ts'
import { hasExpired, type Log, readWebhooks, type WebhookRow, writeWebhooks } from './webhook-rows.ts'

/** Maximum number of webhooks and subscriptions of one token. */
export const MAX_OF_TOKEN = 8

/** What the webhooks need from the service. */
export interface WebhooksParts {
  /** webhooks.json and webhook-queue.jsonl in the home */
  file: TextFile
  queueFile: LogFile
  /** the holder of a token that is valid now; undefined: none */
  holderOf(tokenId: string): Who | undefined
  events: RunEvents
  post: Post
  /** the setting webhook_hosts */
  hosts(): readonly string[]
  log: Log
  clock?: Clock
  now?(): number
  random?(): number
}

/** The stored webhooks and subscriptions, and what waits for them. */
export type WebhookState = ReturnType<typeof openState>

/** Opens the stored webhooks and the events that wait for them. */
export function openState(parts: WebhooksParts) {
  const { file, queueFile, post, log, clock = elapsedClock, now = Date.now, random = Math.random, events } = parts
  const all = new Map(readWebhooks(file, log).map((row) => [row.id, row]))
  const queue = createDeliveryLog(queueFile, log)
  const dropped = new Map<string, number>()
  const save = () => {
    try {
      writeWebhooks(file, [...all.values()])
    } catch (error) {
      log({ reason: (error as Error).message }, 'webhooks.json cannot be written')
    }
  }
  const find = (id: string) => {
    const row = all.get(id)
    return row === undefined || row.is_gone || hasExpired(row, now()) ? undefined : row
  }
  const onGone = (row: WebhookRow) => {
    if (!all.has(row.id)) return
    all.set(row.id, { ...all.get(row.id)!, is_gone: true })
    queue.forget(row.id)
    save()
  }
  const sender: Sender = createSender({ queue, post, find, onGone, clock, now, random, log })
  const reached = (row: WebhookRow) => {
    const position = toEventId(events.newest())
    if (position !== null) queue.reached(row.id, position)
  }
  const drop = (rows: WebhookRow[]) => {
    for (const { id } of rows) {
      all.delete(id)
      sender.forget(id)
      queue.forget(id)
      dropped.delete(id)
    }
  }
  const add = (row: WebhookRow, event: StoredRunEvent) => {
    const isAdded = addEvent(row, event, all, queue, now())
    if (!isAdded) dropped.set(row.id, (dropped.get(row.id) ?? 0) + 1)
    return isAdded
  }
  /** Never throws: if the disk refuses, the next start deletes them again. */
  const prune = (isOver: (row: WebhookRow) => boolean) => {
    const rows = [...all.values()].filter((row) => isOver(row) || hasExpired(row, now()))
    if (rows.length === 0) return
    drop(rows)
    save()
  }
  const current = () => {
    prune(() => false)
    return [...all.values()]
  }
  let stop = () => {}
  return {
    queue,
    now,
    add,
    reached,
    prune,
    work: () => sender.work(),
    current,
    ofToken: ({ id }: Who): WebhookRow[] => current().filter((one) => one.token_id === id),
    shown: (row: WebhookRow): Webhook => ({
      ...{
        name: row.name,
        token: parts.holderOf(row.token_id)?.name ?? row.token_id,
        url: row.url,
        types: row.types,
        session: row.session ?? null,
        created_at: row.created_at,
      },
      expires_at: row.subscription ? toIso(row.subscription.expires_ms) : null,
      status: row.is_gone ? 'gone' : 'active',
      waiting: [...queue.waiting.values()].filter(({ webhook }) => webhook === row.id).length,
      dropped: dropped.get(row.id) ?? 0,
      deliveries: sender.deliveries(row.id),
    }),
    /** Throws as the file system does; then nothing has changed. */
    store(row: WebhookRow, isNew: boolean) {
      writeWebhooks(file, [...new Map(all).set(row.id, row).values()])
      const wasGone = all.get(row.id)?.is_gone ?? false
      all.set(row.id, row)
      if (isNew || wasGone) reached(row)
    },
    /** Throws as the file system does; then nothing has changed. */
    remove(row: WebhookRow) {
      writeWebhooks(
        file,
        [...all.values()].filter((one) => one !== row),
      )
      drop([row])
    },
    /** Never rejects. */
    async start() {
      const held: StoredRunEvent[] = []
      let take = (event: StoredRunEvent) => void held.push(event)
      stop = events.subscribe((event) => take(event))
      for (const row of all.values()) if (!row.is_gone) await catchUp(row, queue.positionOf(row.id), add, parts)
      take = (event) => {
        prune(() => false)
        for (const row of all.values()) if (isFor(row, event, parts.holderOf)) add(row, event)
        sender.work()
      }
      for (const event of held.splice(0)) take(event)
      sender.work()
    },
    async close() {
      await nextTurn() // the events of the runs that the stop has ended
      stop()
      await sender.close()
      for (const row of all.values()) if (!row.is_gone) reached(row)
    },
  }
}

/** Adds the events since the last one of this webhook that the history still has. */
async function catchUp(
  row: WebhookRow,
  position: string | null,
  add: (row: WebhookRow, event: StoredRunEvent) => boolean,
  parts: WebhooksParts,
): Promise<void> {
  if (position === null) return
  try {
    for await (const event of parts.events.after(toPosition(position)))
      if (isFor(row, event, parts.holderOf)) add(row, event)
  } catch (error) {
    parts.log(
      { webhook: row.name, reason: (error as Error).message },
      'a webhook may miss events from before the start',
    )
  }
}
