/** The shell of the page opens without the service, where the browser allows that: on the phone itself, or under a certificate that it trusts. */
export function startWorker(): void {
  if (!isSecureContext || !('serviceWorker' in navigator)) return
  const address = trusted('/sw.js')
  navigator.serviceWorker.register(address).catch(() => {}) // a certificate that was clicked through
}

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** The one address that scripts may name: the page's policy has browsers refuse all others. */
function trusted(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  if (!trustedTypes) return address
  return trustedTypes.createPolicy('sw', { createScriptURL: (url) => url }).createScriptURL(address)
}
