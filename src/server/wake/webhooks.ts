import {
  type PutWebhook,
  ShellphoneError,
  type Webhook,
  type WebhookInput,
  type Who,
} from '../../shared/schema/index.ts'
import { checkUrl } from './guarded-post.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'
import { changed, newRow } from './webhook-rows.ts'
import { MAX_OF_TOKEN, openState, type WebhooksParts } from './webhook-state.ts'

/** The webhooks of all tokens. Each throws NOT_FOUND if the token has no webhook of that name. */
export interface Webhooks {
  /** Creates or changes a webhook. Throws VALIDATION_ERROR for its URL, and CONFLICT if the token has too many, or an MCP client owns the name. */
  put(name: string, input: WebhookInput, who: Who): PutWebhook & { isNew: boolean }
  get(name: string, who: Who): Webhook
  /** The webhooks of a token, or with null those of all tokens, with only the origin of each URL. */
  list(who: Who | null): Webhook[]
  remove(name: string, who: Who): void
  /** Deletes the webhooks of tokens that are no longer valid, and the subscriptions that have expired. */
  prune(): void
  /** the subscriptions of MCP clients, which are webhooks, too, and count as such */
  subscriptions: Subscriptions
  /** Sends what has happened since the last stop or crash, and then every event. */
  start(): void
  close(): Promise<void>
}

/** Creates the webhooks of a service. */
export function createWebhooks(parts: WebhooksParts): Webhooks {
  const state = openState(parts)
  const { ofToken } = state
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
      if (before?.subscription) {
        throw new ShellphoneError('CONFLICT', `${name} is the subscription of an MCP client: take another name`)
      }
      if (!before && own.length >= MAX_OF_TOKEN) {
        throw new ShellphoneError(
          'CONFLICT',
          `This token already has ${MAX_OF_TOKEN} webhooks and subscriptions, the maximum: delete one`,
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
    list: (who) => (who === null ? state.current().map(state.shown).map(withoutPath) : ofToken(who).map(state.shown)),
    remove: (name, who) => state.remove(find(name, who)),
    prune: () => state.prune((row) => parts.holderOf(row.token_id) === undefined),
    subscriptions: createSubscriptions(state, parts),
    start: () => void state.start(),
    close: () => state.close(),
  }
}

/** The path of a chat's webhook is its password. */
const withoutPath = (webhook: Webhook): Webhook => ({ ...webhook, url: new URL(webhook.url).origin })
