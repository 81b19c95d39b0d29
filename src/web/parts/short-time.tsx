import { toDayAndTime } from './format.ts'

const clock = { hour: 'numeric', minute: '2-digit' } as const
const time = new Intl.DateTimeFormat(undefined, clock)
const dayAndTime = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', ...clock })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** A time of today as 14:03, of this year as 22 Nov, 14:03, and of another year as 22 Nov 2025; its tooltip has the date and the time. */
export function ShortTime({ when }: { when: string }) {
  return (
    <time dateTime={when} title={toDayAndTime(when)}>
      {formatOf(new Date(when)).format(new Date(when))}
    </time>
  )
}

function formatOf(when: Date): Intl.DateTimeFormat {
  const now = new Date()
  if (when.getFullYear() !== now.getFullYear()) return date
  return when.toDateString() === now.toDateString() ? time : dayAndTime
}
