import { PhoneError } from './phone-error.ts'
import { factsIn, piecesOf, spanIn } from './file-parts.ts'
import { createIdleTimeout, type RetryPolicy, type IdleTimeout, untilDone } from './retry-policy.ts'
import type { RequestOptions, FileSource } from './phone-client.ts'
import { ask, discardBody, errorIn, send, type ApiAddress } from './requests.ts'
import type { FileFacts, FilePiece } from './types.ts'

export const FILES_PATH = '/files'
/** Only uploads above this size are checked for bytes that an earlier process has sent. */
const SHORT_BYTES = 262_144
/** The error types for HEAD, whose response has no body. */
const headErrors: Record<number, string> = {
  400: 'validation_error',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  412: 'precondition_failed',
  503: 'pool_full',
}

/** Reads the metadata of a file, with its SHA-256. Throws PhoneError, `precondition_failed` if `ifMatch` is not its ETag. */
export const readFacts = (api: ApiAddress, path: string, retries: RetryPolicy, ifMatch?: string): Promise<FileFacts> =>
  untilDone(retries, async ({ signal, during }) => {
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch }
    const response = await during(send(api, FILES_PATH, { method: 'HEAD', query: { path }, headers, signal }))
    await discardBody(response)
    if (response.ok) return factsIn(response)
    const { status } = response
    throw new PhoneError(headErrors[status] ?? 'unreachable', `${path}: HTTP ${status}`, null, { status })
  })

/** A piece of a file. A piece with `facts` has no bytes; it announces that the following pieces are of another version of the file. */
interface ReceivedPiece extends FilePiece {
  facts: FileFacts | null
}

/**
 * Yields the metadata of a file, then its bytes in order, from the offset `from`. Each attempt resumes after the last byte that was delivered.
 * If the file has changed by then, the download starts again from the first byte, with new metadata.
 */
export async function* downloadBytes(
  api: ApiAddress,
  path: string,
  from: number,
  retries: RetryPolicy,
): AsyncGenerator<ReceivedPiece, void> {
  let [offset, total, etag] = [from, -1, null as string | null]
  while (offset !== total) {
    const idle = createIdleTimeout()
    try {
      const request = { query: { path }, headers: resumeHeaders(offset, etag), signal: idle.signal }
      const response = await idle.during(ask(api, FILES_PATH, request))
      const span = spanIn(response, path)
      const facts = { ...factsIn(response), bytes: span.total }
      if (span.start !== offset && span.start !== 0) throw wrongStart(path, offset, span.start)
      const hasChanged = facts.etag !== etag || span.start !== offset
      ;[offset, total, etag] = [span.start, span.total, facts.etag]
      if (hasChanged) yield { offset, bytes: new Uint8Array(), total, facts }
      for await (const bytes of piecesOf(response, idle)) {
        yield { offset, bytes, total, facts: null }
        offset += bytes.length
        retries.madeProgress()
      }
    } catch (error) {
      await retries.wait(error)
    } finally {
      idle.end()
    }
  }
}

const resumeHeaders = (offset: number, etag: string | null): Record<string, string> => ({
  ...(offset > 0 && { range: `bytes=${offset}-` }),
  ...(offset > 0 && etag !== null && { 'if-range': etag }),
})

const wrongStart = (path: string, wanted: number, got: number) =>
  new PhoneError('corrupted', `${path}: expected bytes from offset ${wanted}, got bytes from offset ${got}`)

/**
 * Uploads a file; each attempt sends only the missing bytes. Resolves with the metadata of the file on the phone. Throws PhoneError
 * `corrupted` if the SHA-256 of the uploaded file differs from that of the source.
 */
export function uploadBytes(
  api: ApiAddress,
  request: RequestOptions,
  source: FileSource,
  retries: RetryPolicy,
): Promise<FileFacts> {
  let [there, isBegun] = [0, source.key !== undefined && source.size > SHORT_BYTES]
  return untilDone(retries, async (idle) => {
    const before = there
    if (isBegun) there = await idle.during(storedBytes(api, request, source.size, idle.signal))
    if (there > before) retries.madeProgress()
    isBegun = true
    const response = await sendRest(api, request, source, there, idle)
    const facts = factsIn(response)
    await discardBody(response)
    if (source.sha256 && (await source.sha256()) !== facts.sha256) throw corruptedUpload(request)
    return { ...facts, bytes: source.size }
  })
}

const corruptedUpload = ({ query }: RequestOptions) =>
  new PhoneError(
    'corrupted',
    `${(query as { path: string }).path}: the received data differs from what was sent; did the file change during the copy?`,
  )

/** The number of bytes of an interrupted upload that the service has stored. */
async function storedBytes(
  api: ApiAddress,
  request: RequestOptions,
  size: number,
  signal: AbortSignal,
): Promise<number> {
  if (size === 0) return 0
  const headers = { ...request.headers, 'content-range': `bytes */${size}` }
  const response = await send(api, FILES_PATH, { ...request, headers, signal })
  if (response.status !== 308) throw await errorIn(response)
  await discardBody(response)
  const [, last] = /^bytes=0-(\d+)$/.exec(response.headers.get('range') ?? '') ?? []
  return last === undefined ? 0 : Number(last) + 1
}

/** Sends the remaining bytes. For a Blob, fetch reports no progress, so the idle timeout does not apply. */
async function sendRest(
  api: ApiAddress,
  request: RequestOptions,
  source: FileSource,
  there: number,
  idle: IdleTimeout,
): Promise<Response> {
  const { size } = source
  const range: Record<string, string> = size > 0 ? { 'content-range': `bytes ${there}-${size - 1}/${size}` } : {}
  const headers = { ...request.headers, ...range }
  const body = source.from(there)
  if (body instanceof Blob) return ask(api, FILES_PATH, { ...request, headers, raw: body, signal: idle.signal })
  const length = { 'content-length': String(size - there) }
  return sendStream(api, { ...request, headers: { ...headers, ...length } }, body, idle)
}

/** Sends a request whose body is a stream. Throws the body's own error if reading it fails. */
export async function sendStream(
  api: ApiAddress,
  request: RequestOptions,
  body: AsyncIterable<Uint8Array>,
  idle: IdleTimeout,
): Promise<Response> {
  let bodyError: { error: unknown } | null = null
  const reading = body[Symbol.asyncIterator]()
  const next = () => reading.next().catch((error) => Promise.reject((bodyError = { error }).error))
  async function* pieces() {
    try {
      for (let piece = await next(); !piece.done; piece = await next()) {
        yield piece.value
        idle.madeProgress()
      }
    } finally {
      await reading.return?.() // closes the source, also after a lost connection
    }
  }
  const response = ask(api, FILES_PATH, { ...request, raw: pieces(), signal: idle.signal })
  return idle.during(response).catch((error) => Promise.reject((bodyError ?? { error }).error))
}
