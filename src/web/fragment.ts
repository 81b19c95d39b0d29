import { signal } from '@preact/signals'
import { go } from './route.ts'

/** What a pairing link brought, until it was traded. */
export const offer = signal<{ code: string; key: string } | null>(null)

/** Reads `#pair=CODE&key=KEY` of a phone or `#token=TOKEN` of a plane, and clears it from the address at once: nobody finds it in the history, nor over a shoulder. */
export function takeFragment(): void {
  const given = new URLSearchParams(location.hash.slice(1))
  const code = given.get('pair') ?? given.get('token')
  if (code === null) return
  offer.value = { code, key: given.get('key') ?? '' }
  go(location.pathname, 'replace')
}

addEventListener('hashchange', takeFragment)
