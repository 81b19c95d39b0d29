import { signal } from '@preact/signals'

/** The credentials that this browser stores. */
export interface BrowserAccess {
  token: string
  /** null if the token was pasted */
  name: string | null
  /** whether a control plane issued the token, for the phones of its fleet */
  isFleet?: boolean
}

/** localStorage is separate for each scheme, host and port; a browser would send a cookie to every server on this machine. */
const KEY = 'shellphone.access'

function read(): BrowserAccess | null {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    return typeof stored?.token === 'string' ? stored : null
  } catch {
    return null // another program wrote something else under this key
  }
}

/** null while this browser is not paired. */
export const access = signal<BrowserAccess | null>(read())
/** Why this browser was signed out; empty if it was not. */
export const signOutReason = signal('')

/** Stores the token and opens the page. */
export function signIn(granted: BrowserAccess): void {
  localStorage.setItem(KEY, JSON.stringify(granted))
  signOutReason.value = ''
  access.value = granted
}

/** Deletes the token and shows the pairing form, in every tab of this browser. */
export function signOut(reason = ''): void {
  if (access.value === null) return // the first reason is the true one
  localStorage.removeItem(KEY)
  signOutReason.value = reason
  access.value = null
}

addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) access.value = read()
})
