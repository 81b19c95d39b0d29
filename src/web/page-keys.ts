import { signal } from '@preact/signals'
import { prefers } from './local.ts'
import { go, hrefOf } from './route.ts'
import { views } from './views.ts'
import { questions } from './wire.ts'

/** Whether the list of keys is shown. */
export const helpShown = signal(false)

const GOING_MS = 1500

/** What is done by a letter, wherever the page is. */
const keys: Record<string, () => void> = {
  '?': () => (helpShown.value = !helpShown.value),
  '/': () => focusOn('[data-key="/"]', 'runs'),
  r: () => focusOn('[data-key="r"]', 'run'),
  j: () => step(1),
  k: () => step(-1),
  a: () => questions.waiting.value.length > 0 && go(hrefOf('approvals')),
}

/** The part of this view that has the key; else the view that has it is gone to first. Before the next key comes. */
function focusOn(selector: string, view: string): void {
  const found = () => document.querySelector<HTMLElement>(selector)
  if (!found()) go(hrefOf(view)) // Preact renders it in a microtask
  queueMicrotask(() => found()?.focus())
}

/** The focus moves through the rows of a list. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus()
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Keys of one letter: off while somebody types, or says so. */
export function startKeys(): void {
  let goingUntil = 0
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target) || prefers.keys.value === 'off' || document.querySelector('dialog[open]')) return
    const isGoing = Date.now() < goingUntil
    goingUntil = 0
    const view = views.find(({ key }) => key === event.key)
    if (isGoing && view) go(hrefOf(view.name))
    else if (event.key === 'g') goingUntil = Date.now() + GOING_MS
    else if (Object.hasOwn(keys, event.key)) keys[event.key]!()
    else return
    event.preventDefault()
  })
}
