/** OpenSSL's words for plain text where TLS was due. */
const NOT_TLS = /wrong version number|packet length too long/

/** What a try to reach a broker has met, in plain words. */
export function brokerTrouble(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (!NOT_TLS.test(text)) return text
  return 'the broker speaks before TLS: expected nats-server 2.10 or later with handshake_first: true (2.9 cannot)'
}
