/**
 * A patch of Node's os.networkInterfaces: Android refuses it to some apps (termux-packages#10868), and Fastify calls it when it has begun to
 * listen on 0.0.0.0: an uncaught error. Without the patch no service starts there (test/termux "install.sh again: --lan where Android hides the
 * interfaces …").
 */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

/** Where the call throws, loopback alone is answered; an empty object would make listen() answer undefined. */
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
