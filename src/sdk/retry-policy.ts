import { PhoneError } from './phone-error.ts'

/** The first retry waits this long; the wait doubles up to LAST_PAUSE_MS. */
const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 10_000
/** A service that sends no data for this long counts as unreachable. An approval may take two minutes. */
const SILENCE_MS = 150_000
/** Temporary errors: the service is busy, or a phone of a fleet is offline. */
const busy = new Set([502, 503, 504])
/** Permanent errors: the address belongs to another server, or the name does not resolve. */
const finalCodes = /CERT|TLS|SSL|UNABLE_TO|WRONG_KEY|ENOTFOUND/

/** When to retry a transfer that lost its connection, and when to give up. */
export interface RetryPolicy {
  /** Restarts the deadline and resets the wait, because data has arrived. */
  madeProgress(): void
  /** Resolves when the next attempt is due. Throws `error` if it does not follow from a lost connection, or if the deadline has passed. */
  wait(error: unknown): Promise<void>
}

export function retryFor(reconnectMs: number): RetryPolicy {
  let [since, pauseMs] = [performance.now(), FIRST_PAUSE_MS]
  return {
    madeProgress() {
      ;[since, pauseMs] = [performance.now(), FIRST_PAUSE_MS]
    },
    async wait(error) {
      if (!isLost(error) || performance.now() - since > reconnectMs) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)
    },
  }
}

function isLost(error: unknown): boolean {
  if (!(error instanceof PhoneError)) return false // a local error, for example of the disk
  if (error.status !== null) return busy.has(error.status) || wasOvertaken(error)
  const { code } = (error.cause ?? {}) as { code?: unknown }
  return error.type === 'unreachable' && !finalCodes.test(String(code))
}

/** The service began to store an earlier attempt, whose connection was lost, only after it had said how many bytes it has; so ask again. */
const wasOvertaken = ({ type, field }: PhoneError) => type === 'conflict' && field === 'Content-Range'

/** Retries until an attempt succeeds, and returns its result. Throws errors other than lost connections at once, and the last error after the deadline. */
export async function untilDone<Value>(
  retries: RetryPolicy,
  attempt: (idle: IdleTimeout) => Promise<Value>,
): Promise<Value> {
  for (;;) {
    const idle = createIdleTimeout()
    try {
      return await attempt(idle)
    } catch (error) {
      await retries.wait(error)
    } finally {
      idle.end()
    }
  }
}

/** Aborts a request that transfers nothing for 150 s. */
export interface IdleTimeout {
  signal: AbortSignal
  /** Restarts the timeout, because data was transferred. */
  madeProgress(): void
  /** Runs the timeout while `work` is pending. */
  during<Value>(work: Promise<Value>): Promise<Value>
  /** Clears the timeout and aborts the request if it is still open. */
  end(): void
}

export function createIdleTimeout(): IdleTimeout {
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const moved = () => {
    clearTimeout(timer)
    if (!abort.signal.aborted) timer = setTimeout(() => abort.abort(), SILENCE_MS)
  }
  return {
    signal: abort.signal,
    madeProgress: moved,
    during(work) {
      moved()
      return work.finally(() => clearTimeout(timer))
    },
    end() {
      clearTimeout(timer)
      abort.abort()
    },
  }
}
