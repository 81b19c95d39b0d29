import { PhoneError } from './phone-error.ts'
import type { Files, FileSource } from './phone-client.ts'
import type { FileFacts } from './types.ts'

/** Who brings nothing for so long has gone. */
export const STALL_MS = 60_000
/** What was cut is tried again after the first of these, doubling to the second. */
const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 10_000

/** How long what is cut is tried again. */
export interface Patience {
  /** something has come: it begins anew */
  gained(): void
  /** Resolves when it is time for the next attempt; throws what is no lost connection, and what was waited for long enough. */
  wait(error: unknown): Promise<void>
}

export function waitFor(reconnectMs: number): Patience {
  let [since, pauseMs] = [Date.now(), FIRST_PAUSE_MS]
  return {
    gained() {
      ;[since, pauseMs] = [Date.now(), FIRST_PAUSE_MS]
    },
    async wait(error) {
      // what breaks in the middle of a body is the platform's own error
      const isLost = !(error instanceof PhoneError) || error.type === 'unreachable' || error.type === 'pool_full'
      if (!isLost || Date.now() - since > reconnectMs) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)
    },
  }
}

/** A list, or the facts of one; a file is bytes, whatever is in it. */
export const isDirectory = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') === true

/** What the headers of an answer say of a file. */
export function factsIn(answer: Response): FileFacts {
  const { headers } = answer
  const [, sha256 = null] = /sha-256=:([^:]*):/.exec(headers.get('repr-digest') ?? '') ?? []
  const modified = headers.get('last-modified')
  return {
    type: isDirectory(answer) ? 'directory' : 'file',
    bytes: Number(headers.get('content-length') ?? 0),
    mode: headers.get('file-mode'),
    modified_at: modified && new Date(modified).toISOString(),
    etag: headers.get('etag'),
    sha256,
  }
}

/** Bytes of the whole file, of which this brings some. */
export function totalIn(answer: Response, path: string): number {
  const { headers } = answer
  if (isDirectory(answer)) {
    throw new PhoneError('validation_error', `${path}: expected a file, got a directory: list() tells what is in it`)
  }
  const [, total] = /\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  return Number(total ?? headers.get('content-length'))
}

/** A body as it comes; `stop` is called where nothing has come for `stallMs`. */
export async function* piecesOf(
  { body }: Response,
  stop: () => void,
  stallMs: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body!.getReader()
  try {
    for (;;) {
      const timer = setTimeout(stop, stallMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      if (done) return
      yield value as Uint8Array<ArrayBuffer>
    }
  } finally {
    await reader.cancel().catch(() => {}) // it broke, or was left
  }
}

export function toSource(data: Parameters<Files['put']>[1]): FileSource {
  if (typeof data === 'object' && 'from' in data) return data
  const blob = data instanceof Blob ? data : new Blob([data])
  return { size: blob.size, from: (offset) => blob.slice(offset) }
}
