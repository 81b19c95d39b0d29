import { connection } from '../wire.ts'
import { words } from '../words.ts'
import { toAgo, toTime } from './format.ts'
import { Icon } from './icon.tsx'

/** Says once that the service does not respond or the connection is lost, and that what the page shows is from before. */
export function LostBanner() {
  const { state, since } = connection.value
  if (state !== 'lost' && state !== 'silent') return null
  const isSilent = state === 'silent'
  return (
    <p class={`lost-banner ${state}`} role="status">
      <Icon name="warn" />
      <span>
        <strong>{isSilent ? words.frame.silentSince(toTime(since)) : whenLost(since)}.</strong>{' '}
        {isSilent ? words.frame.silentHint : words.frame.stale}
      </span>
    </p>
  )
}

/** The time to which a clock that stands still belongs; null while the service responds. */
export function AsOf() {
  const { state, since } = connection.value
  return (state === 'lost' || state === 'silent') && since > 0 ? (
    <span class="dim"> {words.frame.asOf(toTime(since))}</span>
  ) : null
}

function whenLost(since: number): string {
  if (since === 0) return words.frame.noConnection
  const isToday = new Date(since).toDateString() === new Date().toDateString()
  return words.frame.lostSince(isToday ? toTime(since) : toAgo(since))
}
