import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../plane-types.ts'

const TRIES = 3
const AGAIN_MS = 2_000
const TIMEOUT_MS = 10_000
/** Calls at once; what comes beyond is left out, for GET /approvals tells all. */
const MAX_OPEN = 64

/** Tells whoever is named by the setting that a phone asks for a person; `url` null: nobody. Never what is asked. */
export function createWebhook(
  url: string | null,
  log: Log,
): (message: { phone: string; approval_id: string; run_id: string }) => void {
  let open = 0
  /** Never rejects. */
  const call = async (body: object) => {
    for (let tries = 1; ; tries++) {
      const status = await post(url!, body)
      if (status < 300) return
      if (tries === TRIES) return log({ status, tries }, 'the webhook was not taken')
      await pause(AGAIN_MS)
    }
  }
  return (message) => {
    if (url === null || open >= MAX_OPEN) return
    open += 1
    void call({ type: 'asked', ...message }).finally(() => (open -= 1))
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
