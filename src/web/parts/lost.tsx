import { selectedPhone } from '../route.ts'
import { connection, hasReceived, isStale } from '../wire.ts'
import { words } from '../words.ts'
import { toAgo, toTime } from './format.ts'
import { Icon } from './icon.tsx'

/**
 * Says once that the service does not respond, that the connection is lost, or that the phone of a control plane is offline, and that what the
 * page shows is from before.
 */
export function LostBanner() {
  const { state, since, isOffline = false } = connection.value
  if (!isStale.value) return null
  const isSilent = state === 'silent'
  return (
    <p class={`lost-banner ${state}`} role="status">
      <Icon name="warn" />
      <span>
        <strong>{isSilent ? words.frame.silentSince(toTime(since)) : whenLost(since, isOffline)}.</strong>{' '}
        {isSilent
          ? words.frame.silentHint
          : `${since > 0 ? `${hasReceived() ? words.frame.stale : words.frame.notYet} ` : ''}${words.frame.reconnects}`}
      </span>
    </p>
  )
}

/** The time to which a clock that stands still belongs; null while the service responds. */
export function AsOf() {
  const { since } = connection.value
  return isStale.value && since > 0 ? <span class="dim"> {words.frame.asOf(toTime(since))}</span> : null
}

function whenLost(since: number, isOffline: boolean): string {
  const { isOffline: offline, noConnection, offlineSince, lostSince } = words.frame
  const name = selectedPhone.value ?? ''
  if (since === 0) return isOffline ? offline(name) : noConnection
  const isToday = new Date(since).toDateString() === new Date().toDateString()
  const when = isToday ? toTime(since) : toAgo(since)
  return isOffline ? offlineSince(name, when) : lostSince(when)
}
