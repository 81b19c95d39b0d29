import { awakeClock, type Timer } from '../../shared/async/index.ts'
import type { TokenRow } from './token-rows.ts'

export const DAY_MS = 86_400_000

/** When the token expires, in epoch milliseconds: at its fixed time, or when it has not been used for its idle days; null: never. NaN: an invalid date. */
export function expiryOf({ expires_at, idle_days, last_used_at, created_at }: TokenRow): number | null {
  const fixed = expires_at === null ? [] : [Date.parse(expires_at)]
  const idle = idle_days === null ? [] : [Date.parse(last_used_at ?? created_at) + idle_days * DAY_MS]
  const all = [...fixed, ...idle]
  return all.length === 0 ? null : Math.min(...all)
}

/** An invalid date counts as expired. */
export function isExpired(row: TokenRow, nowMs: number): boolean {
  const expiry = expiryOf(row)
  return expiry !== null && !(expiry > nowMs)
}

/** Calls `end` with the name of each token when it expires, so that its connections can be closed. */
export function watchExpiry(rows: () => TokenRow[], end: (name: string) => void, now: () => number) {
  let checkedMs = now()
  let timer: Timer | undefined
  const check = () => {
    const nowMs = now()
    for (const row of rows()) if (isExpired(row, nowMs) && !isExpired(row, checkedMs)) end(row.name)
    checkedMs = nowMs
    timer?.stop()
    const ends = rows().flatMap((row) => (isExpired(row, nowMs) ? [] : (expiryOf(row) ?? [])))
    if (ends.length > 0) timer = awakeClock.startTimer(check, Math.min(...ends) - nowMs).unref()
  }
  check()
  return { check, close: () => timer?.stop() }
}
