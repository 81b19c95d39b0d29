import { useState } from 'preact/hooks'
import { canNotify, notifies, wantNotifications } from '../alerts.ts'
import { prefers } from '../local.ts'
import { Button } from '../parts/basics.tsx'
import { words } from '../words.ts'

/** How this browser calls for its person, while the page is open. */
export function AlertSwitches() {
  const [, redraw] = useState(0)
  const isLoud = prefers.sound.value === 'on'
  return (
    <span class="buttons">
      {canNotify() && (
        <Button
          kind="quiet"
          aria-pressed={notifies()}
          onClick={() => wantNotifications().then(() => redraw((count) => count + 1))}
        >
          {words.approvals.notify}
        </Button>
      )}
      <Button kind="quiet" aria-pressed={isLoud} onClick={() => (prefers.sound.value = isLoud ? 'off' : 'on')}>
        {words.approvals.sound}
      </Button>
    </span>
  )
}
