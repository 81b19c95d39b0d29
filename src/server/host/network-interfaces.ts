import os from 'node:os'

/** Returns the addresses of this machine that others may reach, IPv4 first, without link-local ones, which people cannot use. */
export function ownAddresses(): string[] {
  const all = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const open = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  return open.sort((a, b) => a.family.localeCompare(b.family)).map(({ address }) => address)
}

/**
 * Returns the URL at which this machine itself reaches a server that listens on `host`. The URL is numeric, because Android may resolve the
 * name localhost wrongly.
 */
export function urlOf(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const own = ['0.0.0.0', 'localhost'].includes(host) ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${scheme}://${own.includes(':') ? `[${own}]` : own}:${port}`
}
