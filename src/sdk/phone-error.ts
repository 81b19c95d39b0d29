/**
 * Any error of the client. `type` comes from the wire (`unauthorized`, `not_found`, `conflict` …) or from the client: `unreachable` (no
 * response, or the connection was lost), `gap` (the service no longer stores some of the output), `closed` (the client stopped following),
 * `denied` (the guards or a person denied a transfer), `corrupted` (the received data differs from the sent data).
 */
export class PhoneError extends Error {
  override readonly name = 'PhoneError'
  /** the HTTP status of the response; null: there was no response */
  readonly status: number | null

  constructor(
    readonly type: string,
    message: string,
    /** the invalid field of the request, or null */
    readonly field: string | null = null,
    { status = null, cause }: { status?: number | null; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
  }
}

/** The error in the body of a response, or in a WebSocket message (`status` 0). */
export function toPhoneError(body: unknown, status: number): PhoneError {
  const { type, message, field } = (body as { error?: Record<string, string> } | null)?.error ?? {}
  const reason = (body as { decision?: { reason?: string } } | null)?.decision?.reason
  const more = { status: status || null }
  if (reason !== undefined) return new PhoneError('denied', reason, null, more)
  if (type === undefined) {
    return new PhoneError('unreachable', `expected a response from shellphone, got HTTP ${status}`, null, more)
  }
  return new PhoneError(type, message ?? type, field ?? null, more)
}
