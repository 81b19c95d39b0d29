/**
 * Registers the service worker, which opens the page without the service where the browser allows it: on the phone itself, or
 * with a trusted certificate.
 */
export function startWorker(): void {
  if (!isSecureContext || !('serviceWorker' in navigator)) return
  const url = trusted('/sw.js')
  navigator.serviceWorker.register(url).catch(() => {}) // the user accepted an untrusted certificate
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** The only script address that code may set: the content security policy blocks all others. */
function trusted(scriptUrl: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  if (!trustedTypes) return scriptUrl
  return trustedTypes.createPolicy('sw', { createScriptURL: (url) => url }).createScriptURL(scriptUrl)
}
