import { signal } from '@preact/signals'
import { preferences } from './local.ts'
import { go, hrefOf } from './route.ts'
import { shownViews } from './views.ts'
import { approvals } from './wire.ts'

/** Whether the list of keys is open. */
export const isHelpShown = signal(false)

const GO_PREFIX_MS = 1500

/** Keys that work on every view. */
const keys: Record<string, () => void> = {
  '?': () => (isHelpShown.value = !isHelpShown.value),
  '/': () => focusOn('[data-key="/"]', 'runs'),
  r: () => focusOn('[data-key="r"]', 'run'),
  j: () => step(1),
  k: () => step(-1),
  a: () => approvals.pending.value.length > 0 && go(hrefOf('approvals')),
}

/** Focuses the control for a key, on this view or otherwise on `view`, before the next key arrives. */
function focusOn(selector: string, view: string): void {
  const find = () => document.querySelector<HTMLElement>(selector)
  if (!find()) go(hrefOf(view)) // Preact renders the view in a microtask
  queueMicrotask(() => find()?.focus())
}

/** Moves the focus through the rows of a list. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')]
  const index = rows.findIndex((row) => row.contains(document.activeElement))
  rows[Math.max(0, Math.min(rows.length - 1, index + by))]?.focus()
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Handles the single-letter keys, unless the user is typing or has switched them off. */
export function startKeys(): void {
  let prefixUntil = 0
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target) || preferences.keys.value === 'off' || document.querySelector('dialog[open]')) return
    const isAfterPrefix = Date.now() < prefixUntil
    prefixUntil = 0
    const view = shownViews().find(({ key }) => key === event.key)
    if (isAfterPrefix && view) go(hrefOf(view.name))
    else if (event.key === 'g') prefixUntil = Date.now() + GO_PREFIX_MS
    else if (Object.hasOwn(keys, event.key)) keys[event.key]!()
    else return
    event.preventDefault()
  })
}
