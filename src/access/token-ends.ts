import type { Row } from './token-rows.ts'

const MAX_TIMER_MS = 2 ** 31 - 1

/** What is no date is over. */
export const isOver = ({ expires_at }: Row, nowMs: number) => expires_at !== null && !(Date.parse(expires_at) > nowMs)

/** Calls `end` with the name of each token when its time is over: a connection that has shown it does not outlive it. */
export function watchEnds(rows: () => Row[], end: (name: string) => void, now: () => number) {
  let lookedMs = now()
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const nowMs = now()
    for (const row of rows()) if (isOver(row, nowMs) && !isOver(row, lookedMs)) end(row.name)
    lookedMs = nowMs
    clearTimeout(timer)
    const ends = rows().flatMap((row) =>
      row.expires_at === null || isOver(row, nowMs) ? [] : Date.parse(row.expires_at),
    )
    if (ends.length > 0) timer = setTimeout(look, Math.min(Math.min(...ends) - nowMs, MAX_TIMER_MS)).unref()
  }
  look()
  return { look, close: () => clearTimeout(timer) }
}
