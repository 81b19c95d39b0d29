// What Node reports on Android, for the pretend phone: loaded into every node there by --import.
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

Object.defineProperty(process, 'platform', { value: 'android' })

// many Androids refuse it: "A system error occurred: uv_interface_addresses returned Unknown system error 13"
const real = os.networkInterfaces
os.networkInterfaces = () => {
  if (!existsSync(`${process.env.PREFIX}/etc/no-interfaces`)) return real()
  const refused = new Error('A system error occurred: uv_interface_addresses returned Unknown system error 13')
  throw Object.assign(refused, { name: 'SystemError', code: 'ERR_SYSTEM_ERROR', errno: 13 })
}
syncBuiltinESMExports()
