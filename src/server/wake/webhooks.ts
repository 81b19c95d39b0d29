import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RunEvents, StoredRunEvent } from '../exec/index.ts'
import { type Clock, elapsedClock } from '../../shared/async/index.ts'
import {
  type PutWebhook,
  ShellphoneError,
  type TextFile,
  type Webhook,
  type WebhookInput,
  type Who,
} from '../../shared/schema/index.ts'
import { createDeliveryLog, type LogFile } from './delivery-log.ts'
import { toEventId, toPosition } from './event-feed.ts'
import { checkUrl } from './guarded-post.ts'
import { addEvent, isFor } from './queue-events.ts'
import { createSender, type Post, type Sender } from './send-deliveries.ts'
import { changed, type Log, newRow, readWebhooks, type WebhookRow, writeWebhooks } from './webhook-rows.ts'

/** Maximum number of webhooks of one token. */
const MAX_OF_TOKEN = 8

interface WebhooksParts {
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

/** The webhooks of all tokens. Each throws NOT_FOUND if the token has no webhook of that name. */
export interface Webhooks {
  /** Creates or changes a webhook. Throws VALIDATION_ERROR for its URL, and CONFLICT if the token has too many. */
  put(name: string, input: WebhookInput, who: Who): PutWebhook & { isNew: boolean }
  get(name: string, who: Who): Webhook
  list(who: Who): Webhook[]
  remove(name: string, who: Who): void
  /** Deletes the webhooks of tokens that are no longer valid. */
  prune(): void
  /** Sends what has happened since the last stop or crash, and then every event. */
  start(): void
  close(): Promise<void>
}

/** Creates the webhooks of a service. */
export function createWebhooks(parts: WebhooksParts): Webhooks {
  const state = openState(parts)
  const { all } = state
  const ofToken = ({ id }: Who) => [...all.values()].filter((one) => one.token_id === id)
  const find = (name: string, who: Who) => {
    const found = ofToken(who).find((one) => one.name === name)
    if (found) return found
    throw new ShellphoneError(
      'NOT_FOUND',
      `No webhook of this token has the name ${name}; list them with GET /webhooks`,
    )
  }
  return {
    put(name, { url, types, session, rotate_secret = false }, who) {
      checkUrl(url, parts.hosts())
      const own = ofToken(who)
      const before = own.find((one) => one.name === name)
      if (!before && own.length >= MAX_OF_TOKEN) {
        throw new ShellphoneError(
          'CONFLICT',
          `This token already has ${MAX_OF_TOKEN} webhooks, the maximum: delete one`,
        )
      }
      const row = before
        ? changed(before, { url, types, session, rotates: rotate_secret }, state.now())
        : newRow(name, { url, types, session }, who, state.now())
      state.store(row, before === undefined)
      return {
        webhook: state.shown(row),
        secret: row.secret === before?.secret ? null : row.secret,
        isNew: before === undefined,
      }
    },
    get: (name, who) => state.shown(find(name, who)),
    list: (who) => ofToken(who).map(state.shown),
    remove: (name, who) => state.remove(find(name, who)),
    prune: () => state.prune([...all.values()].filter((one) => parts.holderOf(one.token_id) === undefined)),
    start: () => void state.start(),
    close: () => state.close(),
  }
}

/** Opens the stored webhooks and the events that wait for them. */
function openState(parts: WebhooksParts) {
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
  const find = (id: string) => (all.get(id)?.is_gone === false ? all.get(id) : undefined)
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
  let stop = () => {}
  return {
    all,
    now,
    shown: (row: WebhookRow): Webhook => ({
      ...{ name: row.name, url: row.url, types: row.types, session: row.session ?? null, created_at: row.created_at },
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
    /** Never throws: if the disk refuses, the next start deletes them again. */
    prune(rows: WebhookRow[]) {
      if (rows.length === 0) return
      drop(rows)
      save()
    },
    /** Never rejects. */
    async start() {
      const add = (row: WebhookRow, event: StoredRunEvent) => {
        if (!addEvent(row, event, all, queue, now())) dropped.set(row.id, (dropped.get(row.id) ?? 0) + 1)
      }
      const held: StoredRunEvent[] = []
      let take = (event: StoredRunEvent) => void held.push(event)
      stop = events.subscribe((event) => take(event))
      for (const row of all.values()) if (!row.is_gone) await catchUp(row, queue.positionOf(row.id), add, parts)
      take = (event) => {
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
  add: (row: WebhookRow, event: StoredRunEvent) => void,
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
