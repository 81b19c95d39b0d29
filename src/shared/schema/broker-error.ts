/** OpenSSL's codes for plain text where TLS was expected. */
const NOT_TLS: unknown[] = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']

/** Describes an error of a broker connection in plain words. */
export function brokerError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const codes = [error, error.cause].map((one) => (one as { code?: unknown } | undefined)?.code)
  if (!codes.some((code) => NOT_TLS.includes(code))) return error.message
  return 'the broker speaks before TLS: expected nats-server 2.10 or later with handshake_first: true (2.9 cannot)'
}
