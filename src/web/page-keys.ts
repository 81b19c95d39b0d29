import { signal } from '@preact/signals'
import { preferences } from './local.ts'
import { go, hrefOf } from './route.ts'
import { shownViews } from './views.ts'
import { approvals } from './wire.ts'

/** Whether the list of keys is open. */
export const isHelpShown = signal(false)

const GO_PREFIX_MS = 1500

/** Single-letter keys that work on every view. */
const keys: Record<string, () => unknown> = {
  '?': () => (isHelpShown.value = !isHelpShown.value),
  '/': () => openFind(':is(.run-details .output, .output:focus-within)') || focusOn('[data-key="/"]', 'runs'),
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

/**
 * Opens Find for the output that the view shows and the selector matches. Returns false without such an output, and if Find is loading or
 * its field has the focus already, so that Ctrl+F once more opens the browser's own search.
 */
function openFind(selector: string): boolean {
  const output = document.querySelector(selector + ':not([hidden])')
  const field = output?.querySelector<HTMLInputElement>('.find input')
  if (!output || isFindLoading() || field?.matches(':focus')) return false
  field?.focus()
  if (field) field.select()
  else output.querySelector<HTMLElement>('[data-key="find"]')?.click()
  return true
}

/** Whether Find is about to get the focus: what the user types then is no key of the page. */
const isFindLoading = (): boolean =>
  document.querySelector('[data-key="find"][aria-pressed="true"]') !== null && !document.querySelector('.find input')

/** Moves the focus through the rows of a list. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')]
  const index = rows.findIndex((row) => row.contains(document.activeElement))
  rows[Math.max(0, Math.min(rows.length - 1, index + by))]?.focus()
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Handles Ctrl+F and the single-letter keys, these unless the user is typing or has switched them off. */
export function startKeys(): void {
  let prefixUntil = 0
  addEventListener('keydown', (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, key } = event
    if (altKey || event.defaultPrevented || document.querySelector('dialog[open]')) return
    if (ctrlKey || metaKey) {
      if (key === 'f' && !shiftKey && openFind('.output')) event.preventDefault()
      return
    }
    if (isTyping(event.target) || isFindLoading() || preferences.keys.value === 'off') return
    const isAfterPrefix = Date.now() < prefixUntil
    prefixUntil = 0
    const view = shownViews().find((view) => view.key === key)
    if (isAfterPrefix && view) go(hrefOf(view.name))
    else if (key === 'g') prefixUntil = Date.now() + GO_PREFIX_MS
    else if (Object.hasOwn(keys, key)) keys[key]!()
    else return
    event.preventDefault()
  })
}
