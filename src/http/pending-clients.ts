import { toPlainAddress } from '../shared/schema/index.ts'

/** A client that has not shown a token yet, or has not finished its handshake. */
export interface UnauthenticatedClient {
  address: string
  /** disconnects the client immediately */
  cut(): void
}

/**
 * The unauthenticated clients, limited per address and in total. A new client is always accepted and replaces the one that has waited longest,
 * so that idle connections cannot keep the owner out.
 */
export class PendingClients extends Set<UnauthenticatedClient> {
  constructor(private readonly limits: { perAddress: number; inAll: number }) {
    super()
  }

  override add(client: UnauthenticatedClient): this {
    super.add(client)
    const { perAddress, inAll } = this.limits
    if (this.size > perAddress) {
      const same = [...this].filter(({ address }) => address === client.address)
      if (same.length > perAddress) this.#cut(same[0]!)
    }
    if (this.size > inAll) this.#cut(this.values().next().value!)
    return this
  }

  #cut(client: UnauthenticatedClient): void {
    this.delete(client)
    client.cut()
  }
}

/** The network that an address belongs to: an IPv6 /64 has one owner, who can use any address in it. */
export function toOwner(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (!address.includes(':')) return address // IPv4; no node:net, because the browser page bundles this file
  const plain = toPlainAddress(address)
  if (plain !== address) return plain
  const [head = '', tail = ''] = plain.split('%')[0]!.split('::')
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean))
  const gap = Array<string>(Math.max(0, 8 - first!.length - last!.length)).fill('0')
  return [...first!, ...gap, ...last!].slice(0, 4).join(':')
}
