/** Whether this host name or address reaches this machine only. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** An IPv4 address that is written as IPv6 (::ffff:192.168.1.2) as plain IPv4; any other address unchanged. */
export const toPlainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')
