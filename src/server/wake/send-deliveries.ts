import type { Clock, Timer } from '../../shared/async/index.ts'
import { toIso, type WebhookDelivery } from '../../shared/schema/index.ts'
import type { DeliveryLog, Waiting } from './delivery-log.ts'
import type { PostMessage, PostResponse } from './guarded-post.ts'
import { toMessage } from './mcp-event.ts'
import { signedHeaders } from './sign-webhook.ts'
import type { Log, WebhookRow } from './webhook-rows.ts'

/** The pauses after a failed try: seven tries over about 18 hours, as Standard Webhooks recommends. Each pause varies by 10 %. */
const PAUSES_MS = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000]
const JITTER = 0.1
/** The longest pause that a receiver can ask for with Retry-After. */
const MAX_PAUSE_MS = 36_000_000
/** Time limit for one try. */
const TRY_MS = 15_000
/** Maximum number of concurrent tries, and of one webhook. */
const MAX_OPEN = 8
const MAX_OPEN_OF_WEBHOOK = 2
/** Number of deliveries that are remembered for each webhook. */
const MAX_REMEMBERED = 20

/** Sends a body; rejects if no response arrives before the signal aborts. */
export type Post = (url: string, message: PostMessage, signal: AbortSignal) => Promise<PostResponse>

interface SenderParts {
  queue: DeliveryLog
  post: Post
  /** the active webhook with this id; undefined: it was deleted, or its receiver responded with 410 */
  find(id: string): WebhookRow | undefined
  /** the receiver responded with 410 */
  onGone(webhook: WebhookRow): void
  clock: Clock
  now(): number
  random(): number
  log: Log
}

/** Sends the events that wait. */
export interface Sender {
  /** Starts the tries that are due. */
  work(): void
  /** Stops the tries of a webhook and forgets its deliveries. */
  forget(webhook: string): void
  /** The last deliveries of a webhook, newest first. */
  deliveries(webhook: string): WebhookDelivery[]
  close(): Promise<void>
}

export function createSender(parts: SenderParts): Sender {
  const { queue, find, clock, now } = parts
  const open = new Map<string, { webhook: string; abort: AbortController; ended: Promise<void> }>()
  const remembered = new Map<string, Map<string, WebhookDelivery>>()
  let timer: Timer | null = null
  let isClosed = false

  const remember = (waiting: Waiting, changes: Partial<WebhookDelivery>) => {
    const own = remembered.get(waiting.webhook) ?? new Map<string, WebhookDelivery>()
    remembered.set(waiting.webhook, own)
    own.set(waiting.id, { ...(own.get(waiting.id) ?? toDelivery(waiting)), ...changes })
    if (own.size > MAX_REMEMBERED) own.delete(own.keys().next().value!)
  }
  const start = (waiting: Waiting, webhook: WebhookRow) => {
    const abort = new AbortController()
    const ended = tryOnce(waiting, webhook, abort, parts).then((result) => {
      open.delete(waiting.id)
      if (abort.signal.reason === STOPPED) return
      settle(waiting, webhook, result, parts, remember)
      work()
    })
    open.set(waiting.id, { webhook: webhook.id, abort, ended })
  }
  const openOf = (webhook: string) => [...open.values()].filter((one) => one.webhook === webhook).length
  const work = () => {
    timer?.stop()
    if (isClosed) return
    let next = Infinity
    for (const waiting of queue.waiting.values()) {
      const webhook = open.has(waiting.id) ? undefined : find(waiting.webhook)
      if (webhook === undefined || open.size >= MAX_OPEN || openOf(webhook.id) >= MAX_OPEN_OF_WEBHOOK) continue
      if (waiting.due_ms <= now()) start(waiting, webhook)
      else next = Math.min(next, waiting.due_ms - now())
    }
    timer = next === Infinity ? null : clock.startTimer(work, Math.min(next, MAX_PAUSE_MS)).unref()
  }
  return {
    work,
    forget(webhook) {
      for (const one of open.values()) if (one.webhook === webhook) one.abort.abort(STOPPED)
      remembered.delete(webhook)
    },
    deliveries: (webhook) => [...(remembered.get(webhook)?.values() ?? [])].reverse(),
    async close() {
      isClosed = true
      timer?.stop()
      for (const one of open.values()) one.abort.abort(STOPPED)
      await Promise.all([...open.values()].map((one) => one.ended))
    },
  }
}

const STOPPED = new Error('the webhook or the service has ended')

const toDelivery = ({ id, event, tries }: Waiting): WebhookDelivery => ({
  ...{ id, type: event.type, run_id: event.data.run_id, status: 'waiting', tries },
  ...{ response_status: null, error: null, tried_at: null, next_at: null },
})

type TryResult = Pick<PostResponse, 'retryAfterMs'> & { id: string; status: number | null; error: string | null }

/** Never rejects. */
async function tryOnce(
  waiting: Waiting,
  webhook: WebhookRow,
  abort: AbortController,
  { queue, post, clock, now }: SenderParts,
): Promise<TryResult> {
  const late = clock.startTimer(() => abort.abort(new Error(`no response within ${TRY_MS / 1000} s`)), TRY_MS)
  const { url, secret, old } = webhook
  const { id, headers, body } = toMessage(waiting, webhook, queue)
  const secrets = old !== null && old.until_ms > now() ? [secret, old.secret] : [secret]
  try {
    const { status, retryAfterMs } = await post(
      url,
      { headers: { ...signedHeaders(id, now(), body, secrets), ...headers }, body },
      abort.signal,
    )
    const error = status >= 200 && status < 300 ? null : `the receiver responded with status ${status}`
    return { id, status, retryAfterMs, error }
  } catch (error) {
    const reason = (abort.signal.aborted ? abort.signal.reason : error) as Error
    return { id, status: null, retryAfterMs: null, error: reason.message }
  } finally {
    late.stop()
  }
}

/** Records the result of a try: delivered, gone, or due again later. */
function settle(
  waiting: Waiting,
  webhook: WebhookRow,
  { id, status, retryAfterMs, error }: TryResult,
  { queue, onGone, now, random, log }: SenderParts,
  remember: (waiting: Waiting, changes: Partial<WebhookDelivery>) => void,
): void {
  const tries = waiting.tries + 1
  const pause = PAUSES_MS[waiting.tries]
  const isLast = error !== null && (status === 410 || status === 413 || pause === undefined)
  const changes = { id, tries, response_status: status, error, tried_at: toIso(now()) }
  if (error === null || isLast) {
    queue.remove(waiting.id)
    remember(waiting, { ...changes, status: isLast ? 'failed' : 'delivered', next_at: null })
    if (isLast) log({ webhook: webhook.name, run: waiting.event.data.run_id, tries, reason: error }, 'a webhook failed')
    if (status === 410) onGone(webhook)
    return
  }
  const usual = pause! * (1 - JITTER + 2 * JITTER * random())
  const due_ms = Math.round(now() + Math.min(Math.max(usual, retryAfterMs ?? 0), MAX_PAUSE_MS * (1 + JITTER)))
  queue.put({ ...waiting, tries, due_ms })
  remember(waiting, { ...changes, status: 'waiting', next_at: toIso(due_ms) })
}
