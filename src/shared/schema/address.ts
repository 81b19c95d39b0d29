/** Only this machine itself is reached by that host name or address. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** IPv4 that comes in IPv6's clothes (::ffff:192.168.1.2) as IPv4; every other address as it is. */
export const toPlainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')
