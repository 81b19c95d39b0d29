/** Whether this host name or address is a loopback address. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** Converts an IPv4-mapped IPv6 address (::ffff:192.168.1.2) to IPv4. Other addresses stay unchanged. */
export const toPlainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')
