import { inTwoUnits } from '../../shared/schema/index.ts'

/** Milliseconds in one or two units, such as `0.25 s`, `4 min 31 s` or `1 h 30 min`. */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s` : inTwoUnits(seconds)
}
