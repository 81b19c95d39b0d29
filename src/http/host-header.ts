import { isIP } from 'node:net'
import { ShellphoneError, shown } from '../shared/schema/index.ts'

/** Whether a Host header is an IP literal, localhost or one of these names, with or without a port. DNS rebinding cannot use these. */
function isAllowedHost(host: string | undefined, names: readonly string[]): boolean {
  const name = (host ?? '').toLowerCase().replace(/:\d+$/, '')
  const address = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  return isIP(address) !== 0 || name === 'localhost' || names.some((allowed) => allowed.toLowerCase() === name)
}

/** Throws FORBIDDEN_HOST unless the Host header is allowed. `own`: the server's own name, if it has one. */
export function checkHost(host: string | undefined, names: readonly string[], own?: string): void {
  if (isAllowedHost(host, own === undefined ? names : [own, ...names])) return
  const usual = own === undefined ? 'localhost' : `localhost, ${own},`
  throw new ShellphoneError(
    'FORBIDDEN_HOST',
    `Host: expected an IP address, ${usual} or a name listed in allowed_hosts, got ${shown(host)}`,
  )
}
