import { toPlainAddress } from '../shared/schema/index.ts'

/** Whoever has not shown a token yet, or not ended its handshake. */
export interface UnauthenticatedClient {
  address: string
  /** shown out, at once */
  cut(): void
}

/**
 * Where guests wait, at most so many of one address, and in all. The newest is let in, so that nobody who idles here keeps the owner out:
 * whoever has waited longest makes room.
 */
export class PendingClients extends Set<UnauthenticatedClient> {
  constructor(private readonly limits: { perAddress: number; inAll: number }) {
    super()
  }

  override add(guest: UnauthenticatedClient): this {
    super.add(guest)
    const { perAddress, inAll } = this.limits
    if (this.size > perAddress) {
      const same = [...this].filter(({ address }) => address === guest.address)
      if (same.length > perAddress) this.#dismiss(same[0]!)
    }
    if (this.size > inAll) this.#dismiss(this.values().next().value!)
    return this
  }

  #dismiss(guest: UnauthenticatedClient): void {
    this.delete(guest)
    guest.cut()
  }
}

/** Whom an address stands for: an IPv6 network of 64 bits has one owner, who can use any address in it. */
export function toOwner(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (!address.includes(':')) return address // IPv4; the page is bundled with this, so without node:net
  const plain = toPlainAddress(address)
  if (plain !== address) return plain
  const [head = '', tail = ''] = plain.split('%')[0]!.split('::')
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean))
  const gap = Array<string>(Math.max(0, 8 - first!.length - last!.length)).fill('0')
  return [...first!, ...gap, ...last!].slice(0, 4).join(':')
}
