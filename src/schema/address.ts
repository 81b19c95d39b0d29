/** Only this machine itself is reached by that host name or address. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')
