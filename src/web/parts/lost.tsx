import { connection } from '../wire.ts'
import { words } from '../words.ts'
import { toAgo, toTime } from './format.ts'
import { Icon } from './icon.tsx'

/** Says once that the connection is lost, and that what the page shows is from before. */
export function LostBanner() {
  const { state, since } = connection.value
  if (state !== 'lost') return null
  return (
    <p class="lost-banner" role="status">
      <Icon name="warn" />
      <span>
        <strong>{whenLost(since)}.</strong> {words.frame.stale}
      </span>
    </p>
  )
}

/** The time to which a clock that stands still belongs; null while there is a connection. */
export function AsOf() {
  const { state, since } = connection.value
  return state === 'lost' && since > 0 ? <span class="dim"> {words.frame.asOf(toTime(since))}</span> : null
}

function whenLost(since: number): string {
  if (since === 0) return words.frame.noConnection
  const isToday = new Date(since).toDateString() === new Date().toDateString()
  return words.frame.lostSince(isToday ? toTime(since) : toAgo(since))
}
