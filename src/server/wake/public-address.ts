import { BlockList, isIP } from 'node:net'

/** Networks that are not the public internet (IANA special-purpose registries): this machine, the LAN, the provider's network, documentation … */
const privateNetworks = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24',
  '192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
  // IPv6: everything but 2000::/3, and the parts of it that lead to IPv4 addresses (Teredo, 6to4) or are not routed
  '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20',
].flatMap((line) => line.split(' '))

/** One list a family: a BlockList compares an IPv4 address with IPv6 networks as ::ffff:ADDRESS, which is in ::/3. */
const notPublic = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const network of privateNetworks) {
  const [address, bits] = network.split('/') as [string, string]
  // not with isIP, whose first call would add 4 ms to every start
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  notPublic[family].addSubnet(address, Number(bits), family)
}

/** NAT64 (RFC 6052), whose last 32 bits are an IPv4 address, is in ::/3, and so are IPv4-mapped addresses: neither is public. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  const family = version === 6 ? 'ipv6' : 'ipv4'
  return version !== 0 && !notPublic[family].check(address, family)
}
