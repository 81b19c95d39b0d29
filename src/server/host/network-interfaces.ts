import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

/**
 * Android refuses os.networkInterfaces() to some apps (termux-packages#10868), and Fastify calls it when it has begun to
 * listen on 0.0.0.0: an uncaught error. Where the call throws, loopback alone is answered; an empty object would make
 * listen() answer undefined.
 */
export function tolerateHiddenInterfaces(): void {
  const ask = os.networkInterfaces
  os.networkInterfaces = () => {
    try {
      return ask()
    } catch {
      return {
        lo: [
          {
            address: '127.0.0.1',
            netmask: '255.0.0.0',
            family: 'IPv4',
            mac: '00:00:00:00:00:00',
            internal: true,
            cidr: '127.0.0.1/8',
          },
        ],
      }
    }
  }
  syncBuiltinESMExports()
}

/** Addresses of this machine that others may reach, IPv4 first; link-local ones are of no use to a person. */
export function ownAddresses(): string[] {
  const all = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const open = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  return open.sort((a, b) => a.family.localeCompare(b.family)).map(({ address }) => address)
}

/** How this machine itself reaches what listens at `host`; numeric, for names of loopback lead astray on Android. */
export function urlOf(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const own = ['0.0.0.0', 'localhost'].includes(host) ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${scheme}://${own.includes(':') ? `[${own}]` : own}:${port}`
}
