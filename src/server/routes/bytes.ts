import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { type ReaderKind, type Watched, waitingNote } from '../exec/index.ts'
import { isEnding, type Stream } from '../../shared/schema/index.ts'
import { untilWritable, startReply } from '../../http/index.ts'
import type { Bounds, Ledger } from './bounds.ts'

interface Parts extends Pick<Bounds, 'unsent' | 'turn'> {
  /** default: 'watches' */
  kind?: ReaderKind
}

/** Starts a streamed response, whose unread bytes `drained` counts until it closes. */
export function startCounted(
  reply: FastifyReply,
  status: number,
  headers: OutgoingHttpHeaders,
  unsent: Ledger<Socket>,
): ServerResponse {
  const raw = startReply(reply, status, headers)
  const { socket } = raw
  if (socket) raw.once('close', () => unsent.note(socket, 0, true))
  return raw
}

/** Counts the unread bytes, and resolves when the client can take more or has disconnected. */
export async function drained(raw: ServerResponse, gone: AbortSignal, unsent: Ledger<Socket>): Promise<void> {
  const { socket } = raw
  if (!socket) return
  unsent.note(socket, raw.writableLength, false)
  await untilWritable(raw, gone)
  unsent.note(socket, 0, true)
}

/** Writes these pieces as the body of a response that has begun. If reading them fails, cuts the connection, so that the client notices. */
export async function writePieces(
  raw: ServerResponse,
  pieces: AsyncIterable<Buffer>,
  gone: AbortSignal,
  unsent: Ledger<Socket>,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (gone.aborted) return
      if (!raw.write(piece)) await drained(raw, gone, unsent)
    }
  } catch {
    raw.destroy()
  }
}

/** Resolves when the run has started or ended, or waits for approval: then there is something to send. */
export async function untilNews(run: Watched, gone: AbortSignal): Promise<void> {
  const isQuiet = () => (run.status === 'queued' || run.status === 'starting') && run.waitsFor === null
  while (isQuiet() && !gone.aborted) await run.changed()
}

const notStored = new Error('some bytes were not stored')

/** Sends one stream of a run as raw bytes, live and to its end; the trailers report how the run ended. Throws the errors of `follow`. */
export async function sendLive(
  run: Watched,
  { stream, offset }: { stream: Stream; offset: number },
  reply: FastifyReply,
  gone: AbortSignal,
  { unsent, turn, kind = 'watches' }: Parts,
): Promise<FastifyReply> {
  run.attend(gone)
  const other = stream === 'stdout' ? 'stderr' : 'stdout'
  const pieces = run.output.follow({ [stream]: offset, [other]: 0 } as Record<Stream, number>, { signal: gone, turn })
  const reader = run.output.reader(kind)
  reader.take(other, Infinity) // this client does not read the other stream
  const raw = startCounted(reply, 200, headersOf(run, reply), unsent)
  const own = async function* () {
    for await (const { stream: name, offset: at, data } of pieces) {
      if (name !== stream) continue
      if (at !== offset) throw notStored
      yield data
      reader.take(stream, (offset += data.length))
    }
    if (!gone.aborted && offset < run.output.size(stream)) throw notStored
  }
  await writePieces(raw, own(), gone, unsent)
  reader.leave()
  if (gone.aborted || raw.destroyed) return reply
  try {
    const { exit_code, status } = await run.finished
    raw.addTrailers({ 'Exit-Code': String(exit_code), 'Run-Status': status })
    raw.end()
  } catch {
    raw.destroy()
  }
  return reply
}

function headersOf({ id, waitsFor, status }: Watched, { request }: FastifyReply): OutgoingHttpHeaders {
  const note = waitsFor === null || isEnding(status) ? {} : { 'run-note': waitingNote(waitsFor).text }
  const trailer = request.raw.httpVersion === '1.0' ? {} : { trailer: 'Exit-Code, Run-Status' } // HTTP/1.0 has no trailers
  return { 'content-type': 'application/octet-stream', 'run-id': id, ...trailer, ...note }
}
