import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { type ReaderKind, type Watched, waitingNote } from '../exec/index.ts'
import { isEnding, type Stream } from '../../shared/schema/index.ts'
import { roomIn, startReply } from '../../http/index.ts'
import type { Bounds, Ledger } from './bounds.ts'

interface Parts extends Pick<Bounds, 'unsent' | 'turn'> {
  /** default: watches */
  kind?: ReaderKind
}

/** An answer that is written as it comes; what its client has not taken is counted. */
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

/** Resolves when the reader takes more, or has gone. */
export async function drained(raw: ServerResponse, gone: AbortSignal, unsent: Ledger<Socket>): Promise<void> {
  const { socket } = raw
  if (!socket) return
  unsent.note(socket, raw.writableLength, false)
  await roomIn(raw, gone)
  unsent.note(socket, 0, true)
}

/** Pieces of bytes as the body of an answer that has begun. One that cannot be had whole is cut, so that its reader sees that. */
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

/** Resolves when it has started or ended, or waits for a person: then there is something to say. */
export async function untilNews(run: Watched, gone: AbortSignal): Promise<void> {
  const isQuiet = () => (run.status === 'queued' || run.status === 'starting') && run.waitsFor === null
  while (isQuiet() && !gone.aborted) await run.changed()
}

const notKept = new Error('some bytes were not kept')

/** One stream of a run, raw, as it comes and to its end; how that was is in the trailers. Throws what `follow` throws. */
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
  reader.take(other, Infinity) // it is not read here
  const raw = startCounted(reply, 200, headersOf(run, reply), unsent)
  const own = async function* () {
    for await (const { stream: name, offset: at, data } of pieces) {
      if (name !== stream) continue
      if (at !== offset) throw notKept
      yield data
      reader.take(stream, (offset += data.length))
    }
    if (!gone.aborted && offset < run.output.size(stream)) throw notKept
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
  const trailer = request.raw.httpVersion === '1.0' ? {} : { trailer: 'Exit-Code, Run-Status' } // there are none in 1.0
  return { 'content-type': 'application/octet-stream', 'run-id': id, ...trailer, ...note }
}
