import { PhoneError } from './phone-error.ts'
import { factsIn, isDirectory, piecesOf, STALL_MS, toSource, totalIn, type Patience, waitFor } from './file-parts.ts'
import type { Asked, Files, FileSource } from './phone-client.ts'
import { ask, forEver, newKey, refusalIn, send, type Way } from './requests.ts'
import type { FileEntry, FileFacts, FileList, FilePiece } from './types.ts'

const PATH = '/files'
/** What a HEAD says without a body. */
const refusals: Record<number, string> = {
  400: 'validation_error',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  503: 'pool_full',
}

/** Files over HTTP. What is cut is tried again until `reconnectMs` have brought nothing. */
export function filesBy(way: Way, reconnectMs: number): Files {
  return {
    head: (path) => head(way, path, waitFor(reconnectMs)),
    get: (path, from = 0) => get(way, path, from, waitFor(reconnectMs)),
    put: (path, data, { mode, ifMatch, ifNoneMatch } = {}) => {
      const headers = { 'upload-key': newKey(), ...ifHeaders(ifMatch, ifNoneMatch) }
      const asked = { method: 'PUT', query: { path, mode }, headers }
      return put(way, asked, toSource(data), waitFor(reconnectMs))
    },
    async delete(path, { ifMatch } = {}) {
      await ask(way, PATH, { method: 'DELETE', query: { path }, headers: ifHeaders(ifMatch), signal: forEver() })
    },
    list: (path) => list(way, path),
  }
}

const ifHeaders = (match?: string, none?: string): Record<string, string> => ({
  ...(match === undefined ? {} : { 'if-match': match }),
  ...(none === undefined ? {} : { 'if-none-match': none }),
})

async function head(way: Way, path: string, patience: Patience): Promise<FileFacts> {
  for (;;) {
    try {
      const answer = await send(way, PATH, { method: 'HEAD', query: { path }, signal: forEver() })
      if (answer.ok) return factsIn(answer)
      throw new PhoneError(refusals[answer.status] ?? 'unreachable', `${path}: HTTP ${answer.status}`)
    } catch (error) {
      await patience.wait(error)
    }
  }
}

/** Each attempt goes on behind the last byte that was handed over, of the very same file. */
async function* get(way: Way, path: string, from: number, patience: Patience): AsyncGenerator<FilePiece, void> {
  let [offset, total, etag] = [from, -1, '']
  while (offset !== total) {
    const silence = new AbortController()
    try {
      const range: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {}
      const headers = { ...range, ...(etag === '' ? {} : ifHeaders(etag)) }
      const answer = await ask(way, PATH, { query: { path }, headers, signal: silence.signal })
      etag = answer.headers.get('etag') ?? ''
      total = totalIn(answer, path)
      for await (const bytes of piecesOf(answer, () => silence.abort(), STALL_MS)) {
        yield { offset, bytes, total }
        offset += bytes.length
        patience.gained()
      }
    } catch (error) {
      await patience.wait(error)
    }
  }
}

/** Each attempt brings what is not there yet. */
async function put(way: Way, asked: Asked, source: FileSource, patience: Patience): Promise<FileFacts> {
  const { size } = source
  for (let [there, isFirst] = [0, true]; ; isFirst = false) {
    try {
      if (!isFirst && size > 0) {
        const before = there
        there = await bytesThere(way, asked, size)
        if (there > before) patience.gained()
      }
      const range: Record<string, string> = size > 0 ? { 'content-range': `bytes ${there}-${size - 1}/${size}` } : {}
      const raw = source.from(there) as RequestInit['body']
      const answer = await ask(way, PATH, { ...asked, headers: { ...asked.headers, ...range }, raw, signal: forEver() })
      return { ...factsIn(answer), bytes: size }
    } catch (error) {
      await patience.wait(error)
    }
  }
}

/** Of an upload that was cut. */
async function bytesThere(way: Way, asked: Asked, size: number): Promise<number> {
  const headers = { ...asked.headers, 'content-range': `bytes */${size}` }
  const answer = await send(way, PATH, { ...asked, headers, signal: forEver() })
  if (answer.status !== 308) throw await refusalIn(answer)
  const [, last] = /^bytes=0-(\d+)$/.exec(answer.headers.get('range') ?? '') ?? []
  return last === undefined ? 0 : Number(last) + 1
}

async function* list(way: Way, path: string): AsyncGenerator<FileEntry, void> {
  for (let after: string | null = ''; after !== null;) {
    const answer = await ask(way, PATH, { query: { path, after: after === '' ? undefined : after } })
    if (!isDirectory(answer)) throw await notADirectory(answer, path)
    const page = (await answer.json()) as FileList
    yield* page.entries
    after = page.next
  }
}

async function notADirectory({ body }: Response, path: string): Promise<PhoneError> {
  await body?.cancel()
  return new PhoneError('validation_error', `${path}: expected a directory, got a file`)
}
