import { effect } from '@preact/signals'
import { visible } from '../shared/schema/index.ts'
import type { ApprovalCard } from './questions.ts'
import { prefers } from './local.ts'
import { hrefOf } from './route.ts'
import { questions } from './wire.ts'
import { words } from './words.ts'

const MAX_SHOWN = 200

/** Browsers have notifications for pages that came safely, from this machine or under TLS. */
export const canNotify = (): boolean => isSecureContext && 'Notification' in globalThis

/** Whether a person has let us, and still wants it. */
export const notifies = (): boolean =>
  canNotify() && Notification.permission === 'granted' && prefers.notifications.value === 'on'

/** Asks the person for leave, or takes it back. */
export async function wantNotifications(): Promise<void> {
  if (notifies()) prefers.notifications.value = 'off'
  else if ((await Notification.requestPermission()) === 'granted') prefers.notifications.value = 'on'
}

/** Each new question is told once: by a sound, where one is wanted, and by a notification, while nobody looks. */
export function startAlerts(): void {
  const told = new Set<string>()
  effect(() => {
    const waiting = questions.waiting.value.map(({ question }) => question)
    const fresh = waiting.filter(({ id }) => !told.has(id))
    told.clear()
    for (const { id } of waiting) told.add(id)
    if (fresh.length === 0) return
    if (prefers.sound.peek() === 'on') chime()
    if (document.hidden && notifies()) void notify(fresh[0]!)
  })
}

/** Phones let a worker alone show one. */
async function notify({ id, token, command }: ApprovalCard): Promise<void> {
  const title = `${token} ${words.frame.asks}`
  const options = { body: visible(command.slice(0, MAX_SHOWN)), tag: id, icon: '/icon.svg' }
  const worker = await navigator.serviceWorker?.getRegistration()
  if (worker) return worker.showNotification(title, options)
  new Notification(title, options).onclick = () => {
    focus()
    location.hash = hrefOf('approvals')
  }
}

/** Two short tones. */
function chime(): void {
  const audio = new AudioContext()
  for (const [index, pitch] of [660, 880].entries()) {
    const tone = new OscillatorNode(audio, { frequency: pitch })
    const volume = new GainNode(audio, { gain: 0.08 })
    tone.connect(volume).connect(audio.destination)
    tone.start(audio.currentTime + index * 0.15)
    tone.stop(audio.currentTime + index * 0.15 + 0.12)
  }
  setTimeout(() => void audio.close(), 1000)
}
