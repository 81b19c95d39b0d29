import { effect } from '@preact/signals'
import { visible } from '../shared/schema/index.ts'
import type { PhoneApproval } from './approval-cards.ts'
import { preferences } from './local.ts'
import { hrefOf } from './route.ts'
import { approvals } from './wire.ts'
import { words } from './words.ts'

const MAX_COMMAND_CHARACTERS = 200

/** Browsers allow notifications only on secure origins: localhost or HTTPS. */
export const canNotify = (): boolean => isSecureContext && 'Notification' in globalThis

/** Whether the browser refuses notifications without asking the user again. */
export const isBlocked = (): boolean => canNotify() && Notification.permission === 'denied'

/** Whether the user has granted permission and left notifications switched on. */
export const notificationsOn = (): boolean =>
  canNotify() && Notification.permission === 'granted' && preferences.notifications.value === 'on'

/** Switches notifications on, after asking the browser for permission, or off. */
export async function toggleNotifications(): Promise<void> {
  if (notificationsOn()) preferences.notifications.value = 'off'
  else if ((await Notification.requestPermission()) === 'granted') preferences.notifications.value = 'on'
}

/** Announces each new approval once: with a sound if that is switched on, and with a notification if the page is hidden. */
export function startAlerts(): void {
  const announced = new Set<string>()
  effect(() => {
    const pending = approvals.pending.value.map(({ approval }) => approval)
    const added = pending.filter(({ id }) => !announced.has(id))
    announced.clear()
    for (const { id } of pending) announced.add(id)
    if (added.length === 0) return
    // most pages are silent and need no code for it
    if (preferences.sound.peek() === 'on') void import('./chime.ts').then(({ chime }) => chime(), console.warn)
    if (document.hidden && notificationsOn()) void notify(added[0]!)
  })
}

/** Mobile browsers allow only a service worker to show notifications. */
async function notify({ id, token, command }: PhoneApproval): Promise<void> {
  const title = `${token} ${words.frame.asks}`
  const options = { body: visible(command.slice(0, MAX_COMMAND_CHARACTERS)), tag: id, icon: '/icon.svg' }
  const worker = await navigator.serviceWorker?.getRegistration()
  if (worker) return worker.showNotification(title, options)
  new Notification(title, options).onclick = () => {
    focus()
    location.hash = hrefOf('approvals')
  }
}
