import { existsSync } from 'node:fs'

/** termux-exec's library, newest name first (termux-tools, login.in); null off Android or where it is not installed. */
export function preloadLibrary(platform: NodeJS.Platform, prefix: string | undefined): string | null {
  if (platform !== 'android' || !prefix) return null
  const names = ['libtermux-exec-ld-preload.so', 'libtermux-exec.so']
  return names.map((name) => `${prefix}/lib/${name}`).find((path) => existsSync(path)) ?? null
}

/** What the owner should know of this machine, in plain words, for /health and the log. */
export function warnings(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, host: string): string[] {
  const isOpen = !['127.0.0.1', '::1', 'localhost'].includes(host)
  const found: string[] = []
  if (/^googleplay\./.test(env.TERMUX_VERSION ?? '') && isOpen) {
    found.push(
      "Termux from Google Play: Android 17 lets it accept no connections from the LAN; install F-Droid's Termux",
    )
  }
  if (platform === 'android') {
    found.push(
      'Nothing on a stock phone separates this service from the commands it runs: they have its user and its files',
    )
    found.push(
      'Android kills processes beyond 32 of all apps together, oldest first: switch on "Disable child process restrictions"',
    )
  }
  return found
}
