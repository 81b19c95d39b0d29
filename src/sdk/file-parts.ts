import { PhoneError } from './phone-error.ts'
import type { IdleTimeout } from './retry-policy.ts'
import type { Files, FileSource } from './phone-client.ts'
import { rejectInterrupted } from './requests.ts'
import type { FileFacts } from './types.ts'

/** Whether the response describes a directory. A file is always sent as bytes, even if it contains JSON. */
export const isDirectory = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') === true

/** Reads the metadata of a file from the headers of a response. */
export function factsIn(response: Response): FileFacts {
  const { headers } = response
  const [, sha256 = null] = /sha-256=:([^:]*):/.exec(headers.get('repr-digest') ?? '') ?? []
  const modified = headers.get('last-modified')
  return {
    type: isDirectory(response) ? 'directory' : 'file',
    bytes: Number(headers.get('content-length') ?? 0),
    mode: headers.get('file-mode'),
    modified_at: modified && new Date(modified).toISOString(),
    etag: headers.get('etag'),
    sha256,
  }
}

/** The offset of the response's first byte in the file, and the file's size. Throws PhoneError for a directory. */
export function spanIn(response: Response, path: string): { start: number; total: number } {
  const { headers } = response
  if (isDirectory(response)) {
    throw new PhoneError('validation_error', `${path}: expected a file, got a directory; list() returns its entries`)
  }
  const [, start = 0, total = headers.get('content-length')] =
    /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  return { start: Number(start), total: Number(total) }
}

/** Yields the pieces of a body as they arrive. Throws PhoneError `unreachable` if the connection is lost. */
export async function* piecesOf({ body }: Response, idle: IdleTimeout): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body!.getReader()
  try {
    for (;;) {
      const { done, value } = await idle.during(reader.read()).catch(rejectInterrupted)
      if (done) return
      yield value as Uint8Array<ArrayBuffer>
    }
  } finally {
    await reader.cancel().catch(() => {}) // the connection may be lost
  }
}

export function toSource(data: Parameters<Files['put']>[1]): FileSource {
  if (typeof data === 'object' && 'from' in data) return data
  const blob = data instanceof Blob ? data : new Blob([data])
  return { size: blob.size, from: (offset) => blob.slice(offset) }
}
