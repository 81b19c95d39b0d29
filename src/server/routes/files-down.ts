import { createHash, type Hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TransferContext, TransferResult } from '../exec/index.ts'
import { type OpenedFile, openFile, packFolder } from '../files/index.ts'
import { type FileFacts, note, type Note } from '../../shared/schema/index.ts'
import { isWanted, rangeOf, reprDigest } from './file-headers.ts'

/** How many bytes to read ahead of a client. */
const AHEAD_BYTES = 524_288
/** A client that neither reads nor sends for this long is disconnected. */
export const STALL_MS = 60_000

export const completed = (artifact: TransferResult['artifacts'][number], notes: Note[] = []): TransferResult => ({
  ending: 'completed',
  artifacts: [artifact],
  notes,
})

/** The headers that describe a file. */
export const headersOf = ({ etag, modified_at, mode }: FileFacts) => ({
  etag,
  'last-modified': new Date(modified_at).toUTCString(),
  'file-mode': mode,
  'accept-ranges': 'bytes',
})

/** Sends a file, or the requested part of it. Resolves when it has been sent or the transfer has failed. */
export async function sendFile(
  path: string,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  context: TransferContext,
): Promise<TransferResult> {
  const file = await openFile(path)
  try {
    const { facts } = file
    reply.headers({ ...headersOf(facts), 'run-id': context.id })
    if (!isWanted(headers, facts.etag)) {
      void reply.code(304).send()
      return completed({ path, bytes: 0 }, [note('CLIENT_HAS_IT')])
    }
    const span = rangeOf(headers, facts)
    if (span !== null) reply.code(206).header('content-range', `bytes ${span.start}-${span.end - 1}/${facts.bytes}`)
    return await sendBytes(path, file, span, reply, context.canceled)
  } finally {
    await file.close()
  }
}

async function sendBytes(
  path: string,
  file: OpenedFile,
  span: { start: number; end: number } | null,
  reply: FastifyReply,
  canceled: AbortSignal,
): Promise<TransferResult> {
  const { start, end } = span ?? { start: 0, end: file.facts.bytes }
  const hash = span === null ? createHash('sha256') : undefined
  reply.type('application/octet-stream').header('content-length', end - start)
  const failure = await sendStream(file.pieces(start, end, hash), reply, canceled)
  const artifact = { path, bytes: end - start, ...(await digestOf(file, failure === null ? hash : undefined)) }
  const part = span === null ? [] : [note('PART_SENT', start, end - 1, file.facts.bytes)]
  return failure === null ? completed(artifact, part) : cutOff(path, [...part, failure])
}

const digestOf = async (file: OpenedFile, hash: Hash | undefined) => (hash ? { sha256: await file.digestOf(hash) } : {})

export const cutOff = (path: string, notes: Note[]): TransferResult => ({
  ending: 'canceled',
  artifacts: [{ path }],
  notes,
})

/** Sends a directory as tar. Resolves when it has been sent or the transfer has failed. */
export async function sendFolder(
  path: string,
  after: string,
  reply: FastifyReply,
  context: TransferContext,
): Promise<TransferResult> {
  const { packed, pieces } = packFolder(path, { after, hides: context.hides })
  reply.type('application/x-tar').header('run-id', context.id)
  const failure = await sendStream(pieces, reply, context.canceled)
  const notes = [...packed.notes, note('ENTRIES', packed.entries)]
  return failure === null ? completed({ path, bytes: packed.bytes }, notes) : cutOff(path, [...notes, failure])
}

/** Resolves to null once everything has been sent, otherwise to a note that gives the reason. */
async function sendStream(
  pieces: AsyncIterable<Buffer>,
  reply: FastifyReply,
  canceled: AbortSignal,
): Promise<Note | null> {
  const { raw } = reply
  const body = Readable.from(pieces, { objectMode: false, highWaterMark: AHEAD_BYTES })
  let failure: Error | null = null
  body.once('error', (error) => (failure = error))
  const stop = () => raw.destroy()
  canceled.addEventListener('abort', stop)
  raw.socket?.setTimeout(STALL_MS)
  void reply.send(body)
  await closed(raw)
  canceled.removeEventListener('abort', stop)
  if (raw.writableFinished) return null
  body.destroy()
  const reason = (failure as Error | null)?.message
  return reason === undefined ? note('CLIENT_WENT_AWAY') : note('FAILED', reason)
}

const closed = (raw: ServerResponse) =>
  raw.closed ? Promise.resolve() : new Promise<void>((resolve) => void raw.once('close', resolve))

/** Sets the headers for HEAD and reads the content once for the digest. Canceling stops reading and closes the connection. */
export async function digestFile(
  path: string,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { canceled }: TransferContext,
): Promise<TransferResult> {
  const file = await openFile(path)
  try {
    const { facts } = file
    reply.headers({ ...headersOf(facts), 'content-length': facts.bytes }).type('application/octet-stream')
    if (!isWanted(headers, facts.etag)) {
      reply.code(304)
      return completed({ path, bytes: facts.bytes })
    }
    const sha256 = await file.digest(canceled)
    reply.header('repr-digest', reprDigest(sha256))
    return completed({ path, bytes: facts.bytes, sha256 })
  } catch (error) {
    if (!canceled.aborted) throw error
    reply.raw.destroy()
    return cutOff(path, [note('NOT_READ_TO_END')])
  } finally {
    await file.close()
  }
}
