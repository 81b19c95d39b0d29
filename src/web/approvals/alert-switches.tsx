import { useState } from 'preact/hooks'
import { canNotify, isBlocked, notificationsOn, toggleNotifications } from '../alerts.ts'
import { preferences } from '../local.ts'
import { Button } from '../parts/basics.tsx'
import { words } from '../words.ts'

/** How this browser announces a new approval while the page is open. */
export function AlertSwitches() {
  const [tries, setTries] = useState(0)
  const isLoud = preferences.sound.value === 'on'
  return (
    <span class="buttons">
      {canNotify() && (
        <Button
          kind="quiet"
          aria-pressed={notificationsOn()}
          onClick={() => toggleNotifications().then(() => setTries((count) => count + 1))}
        >
          {words.approvals.notify}
        </Button>
      )}
      <Button kind="quiet" aria-pressed={isLoud} onClick={() => (preferences.sound.value = isLoud ? 'off' : 'on')}>
        {words.approvals.sound}
      </Button>
      {tries > 0 && isBlocked() && (
        <p class="hint" role="status">
          {words.approvals.blocked}
        </p>
      )}
    </span>
  )
}
