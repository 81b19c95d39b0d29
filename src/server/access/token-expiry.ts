import { awakeClock, type Timer } from '../../shared/async/index.ts'
import type { TokenRow } from './token-rows.ts'

/** An invalid date counts as expired. */
export const isExpired = ({ expires_at }: TokenRow, nowMs: number) =>
  expires_at !== null && !(Date.parse(expires_at) > nowMs)

/** Calls `end` with the name of each token when it expires, so that its connections can be closed. */
export function watchExpiry(rows: () => TokenRow[], end: (name: string) => void, now: () => number) {
  let checkedMs = now()
  let timer: Timer | undefined
  const check = () => {
    const nowMs = now()
    for (const row of rows()) if (isExpired(row, nowMs) && !isExpired(row, checkedMs)) end(row.name)
    checkedMs = nowMs
    timer?.stop()
    const ends = rows().flatMap((row) =>
      row.expires_at === null || isExpired(row, nowMs) ? [] : Date.parse(row.expires_at),
    )
    if (ends.length > 0) timer = awakeClock.startTimer(check, Math.min(...ends) - nowMs).unref()
  }
  check()
  return { check, close: () => timer?.stop() }
}
