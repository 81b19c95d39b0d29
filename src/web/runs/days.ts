import { RUN_ID_DIGITS, runIdMs } from '../../shared/schema/index.ts'

/** A run id starts with its time in milliseconds: 10 digits of 5 bits. */
const TIME_DIGITS = 10

/** The lower bound for ids of runs that start at this time or later. */
export function lowestIdAt(epochMs: number): string {
  let text = ''
  for (let rest = epochMs; text.length < TIME_DIGITS; rest = Math.floor(rest / 32))
    text = RUN_ID_DIGITS[rest % 32]! + text
  return text
}

/** When a run was requested (ISO 8601). */
export const requestedAt = (id: string): string => new Date(runIdMs(id)).toISOString()

/** When a day (2026-11-22) starts and ends in local time, in epoch milliseconds. */
export function daySpan(day: string): { from: number; to: number } {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return { from: new Date(year, month - 1, date).getTime(), to: new Date(year, month - 1, date + 1).getTime() }
}
