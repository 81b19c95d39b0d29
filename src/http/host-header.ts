import { isIP } from 'node:net'

/** Whether a Host header is an IP literal, localhost or one of these names, with or without a port: no other name can be rebound to us. */
export function isAllowedHost(host: string | undefined, names: readonly string[]): boolean {
  const name = (host ?? '').toLowerCase().replace(/:\d+$/, '')
  const address = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  return isIP(address) !== 0 || name === 'localhost' || names.some((allowed) => allowed.toLowerCase() === name)
}
