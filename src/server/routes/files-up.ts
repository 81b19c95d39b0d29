import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TransferContext, TransferResult } from '../exec/index.ts'
import { removeFile, unpackInto, type UploadPart, type Uploads, uploadKey, writeFile } from '../files/index.ts'
import { invalid, note, type Who } from '../../shared/schema/index.ts'
import { contentRangeOf, lengthOf, mustMatch, reprDigest, uploadKeyOf } from './file-headers.ts'
import { completed, cutOff, headersOf, STALL_MS } from './files-down.ts'

/** A PUT that sends bytes, or only asks how many have arrived. */
type UploadRequest = Pick<UploadPart, 'key' | 'start' | 'length' | 'total'> & { onlyAsks: boolean }

/** Reads the headers of a PUT. Throws VALIDATION_ERROR if they contradict each other. */
export function uploadRequestOf({ headers }: FastifyRequest, path: string, { id }: Who): UploadRequest {
  const range = contentRangeOf(headers)
  const word = uploadKeyOf(headers)
  const length = lengthOf(headers)
  if (range !== null && word === null) {
    throw invalid('Upload-Key: expected together with Content-Range, to name the upload to resume', 'Upload-Key')
  }
  const total = range?.total ?? length
  const key = word === null || total === null ? null : uploadKey(id, path, total, word)
  const { start = 0, end = null } = range?.span ?? {}
  return {
    key,
    start,
    length: end === null ? length : end - start,
    total,
    onlyAsks: range !== null && range.span === null,
  }
}

/** Sets the status and headers that report how many bytes have arrived. */
export function reportProgress(bytes: number, reply: FastifyReply): FastifyReply {
  if (bytes > 0) reply.header('range', `bytes=0-${bytes - 1}`)
  return reply.code(308)
}

/** Stores the body as a file and sets the status and headers of the reply. A client that disconnects may send the rest later. */
export async function takeFile(
  path: string,
  wanted: UploadRequest,
  mode: number | null,
  uploads: Uploads,
  { request, reply, context }: { request: FastifyRequest; reply: FastifyReply; context: TransferContext },
): Promise<TransferResult> {
  const { canceled, maxFileBytes: maxBytes } = context
  const checkReplaced: UploadPart['checkReplaced'] = (existing) => mustMatch(request.headers, existing?.etag ?? null)
  return receiveBody(path, request, context, async (bytes, stop) => {
    const part = { ...wanted, bytes, maxBytes, mode, checkReplaced, stop, canceled }
    const written = await writeFile(path, part, uploads)
    if (!written.isWhole) {
      reportProgress(written.bytes, reply)
      const stored = note('PART_STORED', written.bytes, wanted.total)
      return completed({ path, bytes: written.bytes - wanted.start }, [stored])
    }
    const { facts, sha256, created } = written
    reply.code(created ? 201 : 204).headers({ ...headersOf(facts), 'repr-digest': reprDigest(sha256) })
    return completed({ path, bytes: facts.bytes, sha256 })
  })
}

/** Unpacks the body into a directory. `onEntry` receives each complete name. */
export function takeFolder(
  path: string,
  uploads: Uploads,
  onEntry: (name: string) => void,
  request: FastifyRequest,
  context: TransferContext,
): Promise<TransferResult> {
  return receiveBody(path, request, context, async (bytes, stop) => {
    const upload = await uploads.begin(null, path, stop)
    try {
      const { hides, maxFileBytes: maxBytes } = context
      const unpacked = await unpackInto(path, { bytes, temporary: upload.temporary, maxBytes, hides, onEntry })
      return completed({ path, bytes: unpacked.bytes }, [...unpacked.notes, note('ENTRIES', unpacked.entries)])
    } finally {
      uploads.end(upload)
    }
  })
}

/** Passes the body to `take`; if the client stalls or disconnects, the transfer is canceled. */
async function receiveBody(
  path: string,
  { raw }: FastifyRequest,
  { canceled }: TransferContext,
  take: (bytes: AsyncIterable<Buffer>, stop: () => void) => Promise<TransferResult>,
): Promise<TransferResult> {
  const { socket } = raw
  const stop = () => void socket.destroy()
  canceled.addEventListener('abort', stop)
  socket.setTimeout(STALL_MS)
  raw.once('end', () => socket.setTimeout(0)) // a slow disk may need longer for the last bytes
  try {
    if (canceled.aborted) stop()
    // otherwise Node would destroy the request if its reader stops early, and the client would get no error
    return await take(raw.iterator({ destroyOnReturn: false }), stop)
  } catch (error) {
    if (raw.complete || !socket.destroyed) throw error
    return cutOff(path, [note('CUT_SHORT')])
  } finally {
    canceled.removeEventListener('abort', stop)
  }
}

/** Removes a name if its file still matches the headers. */
export async function remove(path: string, { headers }: FastifyRequest): Promise<TransferResult> {
  await removeFile(path, ({ etag }) => mustMatch(headers, etag))
  return completed({ path })
}
