import { inTwoUnits } from '../../shared/schema/index.ts'

const decimal = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en')
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const preciseTime = new Intl.DateTimeFormat('en', {
  ...({ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 } as const),
  hourCycle: 'h23',
})
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

const sizes = ['B', 'kB', 'MB', 'GB', 'TB']

/** Formats 1234567 as 1.2 MB. */
export function toSize(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${decimal.format(bytes / 1000 ** step)} ${sizes[step]}`
}

/** Formats 12345 as 12,345. */
export const toCount = (count: number): string => whole.format(count)

/** A count with its noun, singular for 1 and plural otherwise. */
export const toPlural = (count: number, one: string, many: string): string =>
  `${whole.format(count)} ${count === 1 ? one : many}`

/** Formats milliseconds in one or two units: 300 ms, 2.5 s, 2 min 5 s, 3 d 4 h. */
export function toSpan(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${decimal.format(ms < 10_000 ? ms / 1000 : Math.round(ms / 1000))} s`
  return inTwoUnits(Math.round(ms / 1000))
}

type When = string | number

/** Formats a time as 14:03:22. */
export const toTime = (when: When): string => time.format(new Date(when))

/** Formats a time as 14:03:22.125. */
export const toPreciseTime = (when: When): string => preciseTime.format(new Date(when))

/** Formats a date and time as 22 Nov 2026, 14:03:22. */
export const toDayAndTime = (when: When): string => dayAndTime.format(new Date(when))

const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** Formats a distance from now as 3 min. ago or in 2 hr. */
export function toAgo(when: When, now = Date.now()): string {
  const seconds = Math.round((new Date(when).getTime() - now) / 1000)
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return ago.format(Math.trunc(seconds / size), unit)
}
