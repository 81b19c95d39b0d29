import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../plane-types.ts'

const TRIES = 3
const RETRY_MS = 2_000
const TIMEOUT_MS = 10_000
/** The maximum number of notifications in progress. Further ones are dropped, because GET /approvals lists every approval. */
const MAX_OPEN = 64

/** Returns a function that notifies `url` of an approval request on a phone, without the command. If `url` is null, the function does nothing. */
export function createWebhook(
  url: string | null,
  log: Log,
): (message: { phone: string; approval_id: string; run_id: string }) => void {
  let open = 0
  /** Never rejects. */
  const send = async (body: object) => {
    for (let tries = 1; ; tries++) {
      const status = await post(url!, body)
      if (status < 300) return
      if (tries === TRIES) return log({ status, tries }, 'the webhook did not accept the notification')
      await pause(RETRY_MS)
    }
  }
  return (message) => {
    if (url === null || open >= MAX_OPEN) return
    open += 1
    void send({ type: 'asked', ...message }).finally(() => (open -= 1))
  }
}

const post = (url: string, body: object): Promise<number> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    ({ status }) => status,
    () => 599,
  )
