/**
 * What came instead of an answer. `type` is the wire's (`unauthorized`, `not_found`, `conflict` …), or one of ours: `unreachable` (nobody answers,
 * or no longer), `gap` (output that is no longer kept), `closed` (this side has left),
 * `denied` (a transfer that the guards or a person refused), `corrupted` (what arrived has another SHA-256 than what was sent).
 */
export class PhoneError extends Error {
  override readonly name = 'PhoneError'
  /** of the HTTP answer that brought it; null: there was none */
  readonly status: number | null

  constructor(
    readonly type: string,
    message: string,
    /** the field that was wrong, where it was one */
    readonly field: string | null = null,
    { status = null, cause }: { status?: number | null; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
  }
}

/** The error in the body of an answer, or in a message of a WebSocket (`status` 0). */
export function toPhoneError(body: unknown, status: number): PhoneError {
  const { type, message, field } = (body as { error?: Record<string, string> } | null)?.error ?? {}
  const reason = (body as { decision?: { reason?: string } } | null)?.decision?.reason
  const more = { status: status || null }
  if (reason !== undefined) return new PhoneError('denied', reason, null, more)
  if (type === undefined) {
    return new PhoneError('unreachable', `expected the answer of a shellphone, got HTTP ${status}`, null, more)
  }
  return new PhoneError(type, message ?? type, field ?? null, more)
}
