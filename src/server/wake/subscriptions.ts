import { createHash } from 'node:crypto'
import { elapsedClock } from '../../shared/async/index.ts'
import type { StoredRunEvent } from '../exec/index.ts'
import { ShellphoneError, toIso, type WakeType, type Who } from '../../shared/schema/index.ts'
import { toEventId, toPosition } from './event-feed.ts'
import { checkUrl } from './guarded-post.ts'
import { watermark } from './mcp-event.ts'
import { isWanted } from './queue-events.ts'
import { type CallbackFault, createVerifier } from './verify-callback.ts'
import { subscribed, type WebhookRow } from './webhook-rows.ts'
import { MAX_OF_TOKEN, type WebhooksParts, type WebhookState } from './webhook-state.ts'

/** The lifetime of a subscription that is not renewed: what the client wants, between these limits. */
const MIN_TTL_MS = 60_000
const MAX_TTL_MS = 30 * 86_400_000
const DEFAULT_TTL_MS = 86_400_000

/** What makes a subscription: the same values are the same subscription of a token. */
interface SubscriptionKey {
  url: string
  name: WakeType
  session: string | undefined
}

/** `cursor`: send the events since then, if the token has no such subscription yet; null: from now on. `ttlMs` null: as long as possible. */
interface SubscriptionInput extends SubscriptionKey {
  secret: string
  cursor: string | null
  /** no events before this time */
  sinceMs: number
  ttlMs: number | null | undefined
}

/** A subscription, or the reason why it was refused. */
export type Subscribed =
  | { id: string; refreshBefore: string; cursor: string | null; truncated: boolean }
  | { fault: CallbackFault }
  | { limit: string; max: number }
  | { revoked: true }

/** The subscriptions of MCP clients. A token sees only its own. */
export interface Subscriptions {
  /** Creates or renews a subscription, after its URL has proved that it wants one. Throws VALIDATION_ERROR for the URL or the cursor. */
  subscribe(input: SubscriptionInput, who: Who): Promise<Subscribed>
  /** Returns whether there was such a subscription. */
  unsubscribe(key: SubscriptionKey, who: Who): boolean
}

export function createSubscriptions(state: WebhookState, parts: WebhooksParts): Subscriptions {
  const verify = createVerifier({ post: parts.post, clock: parts.clock ?? elapsedClock, now: state.now })
  const find = (id: string, who: Who) => state.ofToken(who).find((row) => row.subscription && row.name === id)
  const isFull = (id: string, who: Who) => !find(id, who) && state.ofToken(who).length >= MAX_OF_TOKEN
  const isVerified = (url: string, who: Who) =>
    state.ofToken(who).some((row) => row.subscription && row.url === url && !row.is_gone)
  return {
    async subscribe(input, who) {
      const { url, name, session, secret, cursor } = input
      checkUrl(url, parts.hosts())
      if (cursor !== null) toPosition(cursor)
      const id = idOf(input, who)
      const full = { limit: 'subscriptions', max: MAX_OF_TOKEN }
      if (isFull(id, who)) return full
      const refused = isVerified(url, who) ? null : await verify(url, secret, id)
      if (refused) return refused
      const isLive = find(id, who)?.is_gone === false
      const past = isLive ? nothing : await readPast(input, who, parts)
      if (parts.holderOf(who.id) === undefined) return { revoked: true } // while its URL was verified
      if (isFull(id, who)) return full
      const before = find(id, who)
      const expiresMs = state.now() + ttlOf(input)
      const row = subscribed(id, { url, types: [name], session, secret, expiresMs }, before, who, state.now())
      state.store(row, before === undefined)
      const isComplete = addPast(past.events, row, state)
      return {
        id,
        refreshBefore: toIso(expiresMs),
        cursor: watermark(row.id, state.queue, toEventId(parts.events.newest())),
        truncated: past.truncated || !isComplete,
      }
    },
    unsubscribe(key, who) {
      const row = find(idOf(key, who), who)
      if (row) state.remove(row)
      return row !== undefined
    },
  }
}

/** The id is the same after each renewal and restart. */
function idOf({ url, name, session }: SubscriptionKey, { id }: Who): string {
  const digest = createHash('sha256').update(JSON.stringify([id, url, name, session ?? null]))
  return `sub_${digest.digest('hex').slice(0, 32)}`
}

const ttlOf = ({ ttlMs = DEFAULT_TTL_MS }: SubscriptionInput) =>
  Math.min(Math.max(ttlMs ?? MAX_TTL_MS, MIN_TTL_MS), MAX_TTL_MS)

interface Past {
  events: StoredRunEvent[]
  /** some of the events are missing */
  truncated: boolean
}
const nothing: Past = { events: [], truncated: false }

/** Reads the events since the cursor, and those that happen meanwhile. */
async function readPast(
  { name, session, cursor, sinceMs }: SubscriptionInput,
  who: Who,
  { events }: WebhooksParts,
): Promise<Past> {
  if (cursor === null || events.newest() === null) return nothing
  const past: StoredRunEvent[] = []
  const stop = events.subscribe((event) => past.push(event))
  try {
    for await (const event of events.after(toPosition(cursor))) past.push(event)
    const wanted = past.filter((event) => isWanted(event, { types: [name], session }, who))
    const recent = wanted.filter(({ at }) => Date.parse(at) >= sinceMs)
    return { events: recent, truncated: recent.length < wanted.length }
  } catch (error) {
    if (error instanceof ShellphoneError && error.code === 'EXPIRED') return { events: [], truncated: true }
    throw error
  } finally {
    stop()
  }
}

/** Returns false if too many events wait already. An event that is read and happens meanwhile has one id, and waits once. */
function addPast(past: StoredRunEvent[], row: WebhookRow, state: WebhookState): boolean {
  if (past.length === 0) return true
  const areAdded = past.map((event) => state.add(row, event)).every(Boolean)
  state.reached(row)
  state.work()
  return areAdded
}
