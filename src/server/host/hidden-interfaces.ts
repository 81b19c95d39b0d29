/**
 * Patches Node's os.networkInterfaces. Android forbids the call for some apps (termux-packages#10868), and Fastify calls it when it listens
 * on 0.0.0.0, which ends in an uncaught error. Without the patch no service starts on such phones (test/termux "install.sh again: --lan where
 * Android hides the interfaces …").
 */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

/** Makes the call return only loopback instead of throwing. With an empty object, listen() would return undefined. */
export function tolerateHiddenInterfaces(): void {
  const original = os.networkInterfaces
  os.networkInterfaces = () => {
    try {
      return original()
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
