/**
 * What came instead of an answer. `type` is the wire's (`unauthorized`, `not_found`, `conflict` …), or one of ours: `unreachable` (nobody answers,
 * or no longer), `gap` (output that is no longer kept), `closed` (this side has left),
 * `denied` (a transfer that the guards or a person refused).
 */
export class PhoneError extends Error {
  override readonly name = 'PhoneError'

  constructor(
    readonly type: string,
    message: string,
    /** the field that was wrong, where it was one */
    readonly field: string | null = null,
  ) {
    super(message)
  }
}

/** The error in a body or a message of the wire; `status`: what is said where it holds none. */
export function toPhoneError(body: unknown, status: number): PhoneError {
  const { type, message, field } = (body as { error?: Record<string, string> } | null)?.error ?? {}
  const reason = (body as { decision?: { reason?: string } } | null)?.decision?.reason
  if (reason !== undefined) return new PhoneError('denied', reason)
  if (type === undefined) {
    return new PhoneError('unreachable', `expected the answer of a shellphone, got HTTP ${status}`)
  }
  return new PhoneError(type, message ?? type, field ?? null)
}
