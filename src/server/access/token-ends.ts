import { awakeClock, type Timer } from '../../shared/async/index.ts'
import type { TokenRow } from './token-rows.ts'

/** What is no date is over. */
export const isOver = ({ expires_at }: TokenRow, nowMs: number) =>
  expires_at !== null && !(Date.parse(expires_at) > nowMs)

/** Calls `end` with the name of each token when its time is over: a connection that has shown it does not outlive it. */
export function watchEnds(rows: () => TokenRow[], end: (name: string) => void, now: () => number) {
  let lookedMs = now()
  let timer: Timer | undefined
  const look = () => {
    const nowMs = now()
    for (const row of rows()) if (isOver(row, nowMs) && !isOver(row, lookedMs)) end(row.name)
    lookedMs = nowMs
    timer?.stop()
    const ends = rows().flatMap((row) =>
      row.expires_at === null || isOver(row, nowMs) ? [] : Date.parse(row.expires_at),
    )
    if (ends.length > 0) timer = awakeClock.startTimer(look, Math.min(...ends) - nowMs).unref()
  }
  look()
  return { look, close: () => timer?.stop() }
}
