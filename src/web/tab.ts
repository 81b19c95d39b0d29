import { effect } from '@preact/signals'
import { route } from './route.ts'
import { approvals } from './wire.ts'
import { words } from './words.ts'

const iconWith = (count: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#c2410c"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="#fff">${count}</text></svg>`

/** Shows the number of pending approvals in the title and icon of the tab. */
export function startTab(): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')!
  const usualIcon = icon.href
  effect(() => {
    const pending = approvals.pending.value.length
    const { view } = route.value
    const title = words.views[view as keyof typeof words.views]
    document.title = `${pending > 0 ? `(${pending}) ` : ''}${title ? `${title} · ` : ''}${words.name}`
    const count = pending > 9 ? '9+' : String(pending)
    icon.href = pending > 0 ? `data:image/svg+xml,${encodeURIComponent(iconWith(count))}` : usualIcon
  })
}
