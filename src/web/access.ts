import { signal } from '@preact/signals'

/** What this browser holds: a token, and what is known of it where it was paired. */
interface BrowserAccess {
  token: string
  /** null: it was pasted */
  name: string | null
  /** it is a plane's, for the phones of a fleet */
  isFleet?: boolean
}

/** localStorage belongs to scheme, host and port; a cookie would be sent to every other server of this machine. */
const KEY = 'shellphone.access'

function read(): BrowserAccess | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    return typeof kept?.token === 'string' ? kept : null
  } catch {
    return null // somebody else wrote there
  }
}

/** null: this browser is not paired. */
export const access = signal<BrowserAccess | null>(read())
/** Why it no longer is; empty where it never was. */
export const whyOut = signal('')

/** From now on this browser is paired. */
export function adopt(given: BrowserAccess): void {
  localStorage.setItem(KEY, JSON.stringify(given))
  whyOut.value = ''
  access.value = given
}

/** This browser is paired no longer, in any of its tabs. */
export function forget(why = ''): void {
  localStorage.removeItem(KEY)
  whyOut.value = why
  access.value = null
}

addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) access.value = read()
})
