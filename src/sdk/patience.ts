import { PhoneError } from './phone-error.ts'

/** What was cut is tried again after the first of these, doubling to the second. */
const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 10_000
/** Nothing moves for so long: the other side has gone. A person who is asked may take two minutes. */
const SILENCE_MS = 150_000
/** Later it may be otherwise: it is full, or a phone of a fleet is away. */
const busy = new Set([502, 503, 504])
/** Somebody else is at the address, or nobody has that name: waiting changes nothing. */
const finalCodes = /CERT|TLS|SSL|UNABLE_TO|WRONG_KEY|ENOTFOUND/

/** How long what is cut is tried again. */
export interface Patience {
  /** something has come: it begins anew */
  gained(): void
  /** Resolves when it is time for the next attempt; throws what is no lost connection, and what was waited for long enough. */
  wait(error: unknown): Promise<void>
}

export function waitFor(reconnectMs: number): Patience {
  let [since, pauseMs] = [performance.now(), FIRST_PAUSE_MS]
  return {
    gained() {
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
  if (!(error instanceof PhoneError)) return false // of this side: its disk, say
  if (error.status !== null) return busy.has(error.status)
  const { code } = (error.cause ?? {}) as { code?: unknown }
  return error.type === 'unreachable' && !finalCodes.test(String(code))
}

/** The result of the first attempt that ends well. Throws what is no lost connection, and what was waited for long enough. */
export async function untilDone<Value>(
  patience: Patience,
  attempt: (silence: Silence) => Promise<Value>,
): Promise<Value> {
  for (;;) {
    const silence = createSilence()
    try {
      return await attempt(silence)
    } catch (error) {
      await patience.wait(error)
    } finally {
      silence.end()
    }
  }
}

/** Cuts a request over which nothing moves for 150 s. */
export interface Silence {
  signal: AbortSignal
  /** something has moved */
  moved(): void
  /** Listens while this is awaited. */
  during<Value>(work: Promise<Value>): Promise<Value>
  /** The request is over, or is cut. */
  end(): void
}

export function createSilence(): Silence {
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const moved = () => {
    clearTimeout(timer)
    if (!abort.signal.aborted) timer = setTimeout(() => abort.abort(), SILENCE_MS)
  }
  return {
    signal: abort.signal,
    moved,
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
