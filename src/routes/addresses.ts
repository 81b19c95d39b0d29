import { isIPv6 } from 'node:net'

/** Whom an address stands for: an IPv6 network of 64 bits has one owner, who can use any address in it. */
export function toOwner(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (!isIPv6(address)) return address
  if (address.startsWith('::ffff:')) return address.slice(7)
  const [head = '', tail = ''] = address.split('%')[0]!.split('::')
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean))
  const gap = Array<string>(Math.max(0, 8 - first!.length - last!.length)).fill('0')
  return [...first!, ...gap, ...last!].slice(0, 4).join(':')
}
