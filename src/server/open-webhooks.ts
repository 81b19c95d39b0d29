import type { Logger } from 'pino'
import type { Tokens } from './access/index.ts'
import type { Executor } from './exec/index.ts'
import type { Home } from './host/index.ts'
import type { Config } from './settings.ts'
import { createWebhooks, guardedPost, type Webhooks } from './wake/index.ts'
import { OWNER, type Token, type Who } from '../shared/schema/index.ts'

interface WebhookParts {
  executor: Pick<Executor, 'events'>
  tokens: Pick<Tokens, 'list' | 'onEnd'>
}

/** Opens the webhooks, which are deleted with their tokens. */
export function openWebhooks(
  { settings }: Config,
  home: Home,
  { executor, tokens }: WebhookParts,
  log: Logger,
): Webhooks {
  const hosts = () => settings.webhook_hosts
  const webhooks = createWebhooks({
    file: home.file('webhooks.json'),
    queueFile: home.file('webhook-queue.jsonl'),
    holderOf: (id) => (id === OWNER.id ? OWNER : holderOf(id, tokens.list())),
    events: executor.events,
    post: (url, message, signal) => guardedPost(url, message, hosts(), signal),
    hosts,
    log: (facts, sentence) => log.warn(facts, sentence),
  })
  webhooks.prune()
  tokens.onEnd(() => webhooks.prune())
  return webhooks
}

/** The token with this id; undefined: it was revoked, or has expired. */
function holderOf(id: string, tokens: Token[]): Who | undefined {
  const token = tokens.find((one) => one.id === id)
  const isValid = token && (token.expires_at === null || Date.parse(token.expires_at) > Date.now())
  return isValid ? token : undefined
}
