/** The error codes of OpenSSL for plaintext where it expected TLS. */
const NOT_TLS: unknown[] = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']

/** Describes an error of a broker connection in plain English. */
export function brokerError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const codes = [error, error.cause].map((one) => (one as { code?: unknown } | undefined)?.code)
  if (!codes.some((code) => NOT_TLS.includes(code))) return error.message
  return 'the broker sends data before the TLS handshake; use nats-server 2.10 or later with handshake_first: true'
}
