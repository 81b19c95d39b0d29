import { PhoneError } from './phone-error.ts'
import { factsIn, piecesOf, spanIn } from './file-parts.ts'
import { createSilence, type Patience, type Silence, untilDone } from './patience.ts'
import type { RequestOptions, FileSource } from './phone-client.ts'
import { ask, forget, refusalIn, send, type ApiAddress } from './requests.ts'
import type { FileFacts, FilePiece } from './types.ts'

export const FILES_PATH = '/files'
/** An upload that may have been begun before asks how far it came, where it is longer than this. */
const SHORT_BYTES = 262_144
/** What a HEAD says without a body. */
const refusals: Record<number, string> = {
  400: 'validation_error',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  412: 'precondition_failed',
  503: 'pool_full',
}

/** Facts of a file, with its sha256. Throws PhoneError: `precondition_failed` where `ifMatch` is not its ETag. */
export const readFacts = (way: ApiAddress, path: string, patience: Patience, ifMatch?: string): Promise<FileFacts> =>
  untilDone(patience, async ({ signal, during }) => {
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch }
    const answer = await during(send(way, FILES_PATH, { method: 'HEAD', query: { path }, headers, signal }))
    await forget(answer)
    if (answer.ok) return factsIn(answer)
    const { status } = answer
    throw new PhoneError(refusals[status] ?? 'unreachable', `${path}: HTTP ${status}`, null, { status })
  })

/** Bytes of a file. `facts`: none yet, and here begins another file than before, from this offset on. */
interface ReceivedPiece extends FilePiece {
  facts: FileFacts | null
}

/**
 * The bytes of a file from `from` on, in order, behind its facts. Each attempt goes on behind the last byte that was handed over. A file
 * that is another one by then comes from its start, behind facts of its own.
 */
export async function* receive(
  way: ApiAddress,
  path: string,
  from: number,
  patience: Patience,
): AsyncGenerator<ReceivedPiece, void> {
  let [offset, total, etag] = [from, -1, null as string | null]
  while (offset !== total) {
    const silence = createSilence()
    try {
      const asked = { query: { path }, headers: goingOn(offset, etag), signal: silence.signal }
      const answer = await silence.during(ask(way, FILES_PATH, asked))
      const span = spanIn(answer, path)
      const facts = { ...factsIn(answer), bytes: span.total }
      if (span.start !== offset && span.start !== 0) throw wrongStart(path, offset, span.start)
      const isAnother = facts.etag !== etag || span.start !== offset
      ;[offset, total, etag] = [span.start, span.total, facts.etag]
      if (isAnother) yield { offset, bytes: new Uint8Array(), total, facts }
      for await (const bytes of piecesOf(answer, silence)) {
        yield { offset, bytes, total, facts: null }
        offset += bytes.length
        patience.gained()
      }
    } catch (error) {
      await patience.wait(error)
    } finally {
      silence.end()
    }
  }
}

const goingOn = (offset: number, etag: string | null): Record<string, string> => ({
  ...(offset > 0 && { range: `bytes=${offset}-` }),
  ...(offset > 0 && etag !== null && { 'if-range': etag }),
})

const wrongStart = (path: string, wanted: number, got: number) =>
  new PhoneError('corrupted', `${path}: expected bytes from offset ${wanted}, got them from ${got}`)

/**
 * Brings a file there; each attempt brings what is not there yet. Resolves with what it is there. Throws PhoneError `corrupted` where the
 * source knows its sha256 and what arrived has another one.
 */
export function deliver(
  way: ApiAddress,
  asked: RequestOptions,
  source: FileSource,
  patience: Patience,
): Promise<FileFacts> {
  let [there, isBegun] = [0, source.key !== undefined && source.size > SHORT_BYTES]
  return untilDone(patience, async (silence) => {
    const before = there
    if (isBegun) there = await silence.during(bytesThere(way, asked, source.size, silence.signal))
    if (there > before) patience.gained()
    isBegun = true
    const answer = await bring(way, asked, source, there, silence)
    const facts = factsIn(answer)
    await forget(answer)
    if (source.sha256 && (await source.sha256()) !== facts.sha256) throw notAsSent(asked)
    return { ...facts, bytes: source.size }
  })
}

const notAsSent = ({ query }: RequestOptions) =>
  new PhoneError(
    'corrupted',
    `${(query as { path: string }).path}: the received data differs from what was sent; did the file change during the copy?`,
  )

/** How much there is of an upload that was cut. */
async function bytesThere(way: ApiAddress, asked: RequestOptions, size: number, signal: AbortSignal): Promise<number> {
  if (size === 0) return 0
  const headers = { ...asked.headers, 'content-range': `bytes */${size}` }
  const answer = await send(way, FILES_PATH, { ...asked, headers, signal })
  if (answer.status !== 308) throw await refusalIn(answer)
  await forget(answer)
  const [, last] = /^bytes=0-(\d+)$/.exec(answer.headers.get('range') ?? '') ?? []
  return last === undefined ? 0 : Number(last) + 1
}

/** The rest of it. How far a Blob has gone nobody says, so that it is waited for. */
async function bring(
  way: ApiAddress,
  asked: RequestOptions,
  source: FileSource,
  there: number,
  silence: Silence,
): Promise<Response> {
  const { size } = source
  const range: Record<string, string> = size > 0 ? { 'content-range': `bytes ${there}-${size - 1}/${size}` } : {}
  const headers = { ...asked.headers, ...range }
  const body = source.from(there)
  if (body instanceof Blob) return ask(way, FILES_PATH, { ...asked, headers, raw: body, signal: silence.signal })
  const length = { 'content-length': String(size - there) }
  return streamed(way, { ...asked, headers: { ...headers, ...length } }, body, silence)
}

/** A request whose body comes in pieces. Throws what the body throws. */
export async function streamed(
  way: ApiAddress,
  asked: RequestOptions,
  body: AsyncIterable<Uint8Array>,
  silence: Silence,
): Promise<Response> {
  let trouble: { error: unknown } | null = null
  const reading = body[Symbol.asyncIterator]()
  const next = () => reading.next().catch((error) => Promise.reject((trouble = { error }).error))
  async function* pieces() {
    try {
      for (let piece = await next(); !piece.done; piece = await next()) {
        yield piece.value
        silence.moved()
      }
    } finally {
      await reading.return?.() // the connection is lost, perhaps
    }
  }
  const answer = ask(way, FILES_PATH, { ...asked, raw: pieces(), signal: silence.signal })
  return silence.during(answer).catch((error) => Promise.reject((trouble ?? { error }).error))
}
