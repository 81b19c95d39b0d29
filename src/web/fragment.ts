import { signal } from '@preact/signals'
import { go } from './route.ts'

/** The code or token from a pairing link, until it has been used. */
export const linkPairing = signal<{ code: string; key: string } | null>(null)

/**
 * Reads `#pair=CODE&key=KEY` (from a phone) or `#token=TOKEN` (from a control plane) and immediately removes it from the address, so
 * that it stays neither in the history nor on the screen.
 */
export function consumeFragment(): void {
  if (location.hash.startsWith('#/')) return // the address of a view, in which a filter may be called token
  const parameters = new URLSearchParams(location.hash.slice(1))
  const code = parameters.get('pair') ?? parameters.get('token')
  if (code === null) return
  linkPairing.value = { code, key: parameters.get('key') ?? '' }
  go(location.pathname, 'replace')
}

addEventListener('hashchange', consumeFragment)
