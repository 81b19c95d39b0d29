import { effect } from '@preact/signals'
import { route } from './route.ts'
import { questions } from './wire.ts'
import { words } from './words.ts'

const picture = (count: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#c2410c"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="#fff">${count}</text></svg>`

/** Title and icon of the tab say how many questions wait. */
export function startTab(): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')!
  const plain = icon.href
  effect(() => {
    const waiting = questions.waiting.value.length
    const { view } = route.value
    const title = words.views[view as keyof typeof words.views]
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title ? `${title} · ` : ''}${words.name}`
    const shown = waiting > 9 ? '9+' : String(waiting)
    icon.href = waiting > 0 ? `data:image/svg+xml,${encodeURIComponent(picture(shown))}` : plain
  })
}
