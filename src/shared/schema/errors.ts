/** One row per error that can reach a client: its HTTP status and its `type` on the wire. Several errors may share a type. Codes are never reused. */
export const errorTable = {
  VALIDATION_ERROR: { status: 400, type: 'validation_error' },
  /** `about`: the directory */
  NO_DIRECTORY: { status: 400, type: 'validation_error' },
  UNAUTHORIZED: { status: 401, type: 'unauthorized' },
  FORBIDDEN_ORIGIN: { status: 403, type: 'forbidden_origin' },
  FORBIDDEN_HOST: { status: 403, type: 'forbidden_host' },
  FORBIDDEN: { status: 403, type: 'forbidden' },
  TLS_REQUIRED: { status: 403, type: 'tls_required' },
  NOT_FOUND: { status: 404, type: 'not_found' },
  METHOD_NOT_ALLOWED: { status: 405, type: 'method_not_allowed' },
  CONFLICT: { status: 409, type: 'conflict' },
  WRONG_HOME: { status: 409, type: 'wrong_home' },
  PHONE_CONFLICT: { status: 409, type: 'phone_conflict' },
  EXPIRED: { status: 410, type: 'expired' },
  PRECONDITION_FAILED: { status: 412, type: 'precondition_failed' },
  TOO_LARGE: { status: 413, type: 'too_large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, type: 'unsupported_media_type' },
  OUT_OF_RANGE: { status: 416, type: 'out_of_range' },
  RATE_LIMITED: { status: 429, type: 'rate_limited' },
  EXECUTION_ERROR: { status: 500, type: 'execution_error' },
  /** the system refused to start a shell; `about`: why */
  NOT_STARTED: { status: 500, type: 'execution_error' },
  POOL_FULL: { status: 503, type: 'pool_full' },
  RESTART_NEEDED: { status: 503, type: 'restart_needed' },
  SANDBOX_UNAVAILABLE: { status: 503, type: 'sandbox_unavailable' },
  TERMINAL_UNAVAILABLE: { status: 503, type: 'terminal_unavailable' },
  PHONE_GARBLED: { status: 502, type: 'phone_garbled' },
  BROKER_UNAVAILABLE: { status: 503, type: 'broker_unavailable' },
  PHONE_OFFLINE: { status: 503, type: 'phone_offline' },
  PHONE_SILENT: { status: 504, type: 'phone_silent' },
  INSUFFICIENT_STORAGE: { status: 507, type: 'insufficient_storage' },
} as const

export type ErrorCode = keyof typeof errorTable
/** The `type` of an error on the wire. */
export type ErrorType = (typeof errorTable)[ErrorCode]['type']

/** An error that the client receives as the response. `field` names the invalid field; `retryAfterSeconds` becomes `Retry-After`; `totalBytes` becomes
 * the `Content-Range` of an unsatisfiable range; `about` is the part of the message that dialects insert into their own messages. */
export class ShellphoneError extends Error {
  readonly status: number
  readonly type: ErrorType
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extra: {
      field?: string | undefined
      retryAfterSeconds?: number
      totalBytes?: number
      about?: string
    } = {},
  ) {
    super(message)
    this.status = errorTable[code].status
    this.type = errorTable[code].type
  }

  /** The error body on the wire: `{ error: { type, message, field? } }`. */
  toBody() {
    const { field } = this.extra
    return { error: { type: this.type, message: this.message, ...(field === undefined ? {} : { field }) } }
  }
}

/** A validation error: what was expected, what was received, and in which field. */
export const invalid = (message: string, field?: string): ShellphoneError =>
  new ShellphoneError('VALIDATION_ERROR', message, { field })
