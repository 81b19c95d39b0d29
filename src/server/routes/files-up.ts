import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Allowed, Moved } from '../exec/index.ts'
import { type Part, removeFile, unpackInto, type Uploads, uploadKey, writeFile } from '../files/index.ts'
import { invalid, note, type Who } from '../../shared/schema/index.ts'
import { comingOf, lengthOf, mustMatch, reprDigest, uploadKeyOf } from './file-headers.ts'
import { completed, cutOff, headersOf, STALL_MS } from './files-down.ts'

/** What a PUT wants: the bytes that come, or only to hear how many are there. */
type UploadRequest = Pick<Part, 'key' | 'start' | 'length' | 'total'> & { isQuestion: boolean }

/** Throws VALIDATION_ERROR where the headers do not fit together. */
export function wantedOf({ headers }: FastifyRequest, path: string, { id }: Who): UploadRequest {
  const coming = comingOf(headers)
  const word = uploadKeyOf(headers)
  const length = lengthOf(headers)
  if (coming !== null && word === null) {
    throw invalid('Upload-Key: expected together with Content-Range, to name the upload to resume', 'Upload-Key')
  }
  const total = coming?.total ?? length
  const key = word === null || total === null ? null : uploadKey(id, path, total, word)
  const { start = 0, end = null } = coming?.span ?? {}
  return {
    key,
    start,
    length: end === null ? length : end - start,
    total,
    isQuestion: coming !== null && coming.span === null,
  }
}

/** How a client hears how many bytes are there. */
export function reportProgress(bytes: number, reply: FastifyReply): FastifyReply {
  if (bytes > 0) reply.header('range', `bytes=0-${bytes - 1}`)
  return reply.code(308)
}

/** Takes the body in as a file, and fills the reply in. A client that goes away may come back with the rest. */
export async function takeFile(
  path: string,
  wanted: UploadRequest,
  mode: number | null,
  uploads: Uploads,
  { request, reply, allowed }: { request: FastifyRequest; reply: FastifyReply; allowed: Allowed },
): Promise<Moved> {
  const { canceled, maxFileBytes: maxBytes } = allowed
  const mayReplace: Part['mayReplace'] = (there) => mustMatch(request.headers, there?.etag ?? null)
  return whileItComes(path, request, allowed, async (bytes, stop) => {
    const part = { ...wanted, bytes, maxBytes, mode, mayReplace, stop, canceled }
    const written = await writeFile(path, part, uploads)
    if (!written.isWhole) {
      reportProgress(written.bytes, reply)
      const there = note('PART_STORED', written.bytes, wanted.total)
      return completed({ path, bytes: written.bytes - wanted.start }, [there])
    }
    const { facts, sha256, created } = written
    reply.code(created ? 201 : 204).headers({ ...headersOf(facts), 'repr-digest': reprDigest(sha256) })
    return completed({ path, bytes: facts.bytes, sha256 })
  })
}

/** Unpacks the body into a directory. `onEntry` hears of each name that is whole. */
export function takeFolder(
  path: string,
  uploads: Uploads,
  onEntry: (name: string) => void,
  request: FastifyRequest,
  allowed: Allowed,
): Promise<Moved> {
  return whileItComes(path, request, allowed, async (bytes, stop) => {
    const upload = await uploads.begin(null, path, stop)
    try {
      const { hides, maxFileBytes: maxBytes } = allowed
      const unpacked = await unpackInto(path, { bytes, temporary: upload.temporary, maxBytes, hides, onEntry })
      return completed({ path, bytes: unpacked.bytes }, [...unpacked.notes, note('ENTRIES', unpacked.entries)])
    } finally {
      uploads.end(upload)
    }
  })
}

/** Lets the body come until `take` has it; a client that stalls or goes away cancels. */
async function whileItComes(
  path: string,
  { raw }: FastifyRequest,
  { canceled }: Allowed,
  take: (bytes: AsyncIterable<Buffer>, stop: () => void) => Promise<Moved>,
): Promise<Moved> {
  const { socket } = raw
  const stop = () => void socket.destroy()
  canceled.addEventListener('abort', stop)
  socket.setTimeout(STALL_MS)
  raw.once('end', () => socket.setTimeout(0)) // a slow disk may take longer over the last of it
  try {
    if (canceled.aborted) stop()
    // Node would end the request where its reader leaves early, and nobody could be told why
    return await take(raw.iterator({ destroyOnReturn: false }), stop)
  } catch (error) {
    if (raw.complete || !socket.destroyed) throw error
    return cutOff(path, [note('CUT_SHORT')])
  } finally {
    canceled.removeEventListener('abort', stop)
  }
}

/** Takes a name away, where it is still the one that was meant. */
export async function remove(path: string, { headers }: FastifyRequest): Promise<Moved> {
  await removeFile(path, ({ etag }) => mustMatch(headers, etag))
  return completed({ path })
}
