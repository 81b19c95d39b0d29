import { BlockList, isIP } from 'node:net'
import { invalid } from '../../shared/schema/index.ts'

/** Whether an address is in one of these networks; an empty list allows every address. A BlockList also treats ::ffff:… as IPv4. */
export function isFrom(addresses: string[], address: string): boolean {
  if (addresses.length === 0) return true
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  return isIP(address) !== 0 && addresses.some((text) => networkOf(text).check(address, family))
}

/** Parses an address or a network. Throws VALIDATION_ERROR if the text is neither. */
export function networkOf(text: string): BlockList {
  const list = new BlockList()
  const [address = '', bits] = text.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  try {
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
    return list
  } catch {
    const message = `addresses: expected IP addresses or networks like 192.168.1.0/24, got ${JSON.stringify(text)}`
    throw invalid(message, 'addresses')
  }
}
