import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A connection of which more than this waits for the parser is not read from: the rest waits in the kernel. */
const MAX_HELD_BYTES = 16_384
/** What the parser gets in one turn of the event loop, at most, of one connection. */
const PIECES_A_TURN = 64
const HEAD_END = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

/**
 * Requests of one connection are read one after the other, each in a turn of the event loop, as the answers leave: those that nobody
 * reads are not made. Node alone would parse a chunk whole and hand over every request in it, 2 000 of them, at once.
 */
export function takeTurns({ server }: FastifyInstance): void {
  const readers = new WeakMap<Socket, Reader>()
  server.on('connection', (socket: Socket) => readers.set(socket, createReader(socket)))
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
    readers.get(request.socket)?.begin(request, response),
  )
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => readers.get(socket)?.leave())
}

interface Reader {
  /** this request has come; its body may still be on its way */
  begin(request: IncomingMessage, response: ServerResponse): void
  /** it speaks another protocol from now on */
  leave(): void
}

/** Stands between a connection and its parser. */
function createReader(socket: Socket): Reader {
  const [parse] = socket.listeners('data') as [(chunk: Buffer) => void]
  let held: Buffer = NOTHING
  let isHeld = false
  let request: IncomingMessage | null = null
  let isAnswered = true
  let bodyBytes = 0 // that have not come; Infinity: its chunks say so

  const isBusy = () => request?.complete === true && !isAnswered
  const pieceLength = () =>
    request?.complete === false && bodyBytes < Infinity ? Math.min(bodyBytes, held.length) : messageLength(held)
  // at the end of each request, too: Node lets it flow then
  const hold = () => {
    if (held.length <= MAX_HELD_BYTES) return
    isHeld = true
    socket.pause()
  }
  const parseSome = () => {
    for (let count = 0; held.length > 0 && !isBusy() && !socket.destroyed; count++) {
      const length = pieceLength()
      if (length === 0) return
      if (count === PIECES_A_TURN) return void setImmediate(read)
      const piece = held.subarray(0, length)
      held = held.subarray(length)
      bodyBytes -= length
      parse(piece)
    }
  }
  const read = () => {
    parseSome()
    if (isHeld && held.length <= MAX_HELD_BYTES) {
      isHeld = false
      socket.resume()
    }
    hold()
  }
  const take = (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    read()
  }
  socket.off('data', parse).on('data', take).on('resume', hold)
  return {
    begin(next, response) {
      if (isBusy()) return void socket.destroy()
      request = next
      isAnswered = false
      bodyBytes = bodyLength(next.headers)
      response.once('close', () => {
        isAnswered = true
        if (held.length > 0) setImmediate(read)
      })
    },
    leave() {
      socket.off('data', take).off('resume', hold)
      if (held.length > 0) socket.unshift(held)
      held = NOTHING
    },
  }
}

const bodyLength = (headers: IncomingMessage['headers']) =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity

/** Up to the end of a head, or of what comes in chunks: no two messages lie before that. An end that is not whole yet stays. */
function messageLength(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END)
  if (end >= 0) return end + HEAD_END.length
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - HEAD_END.length + 1))
  const cut = [3, 2, 1].find((length) => tail.endsWith(HEAD_END.slice(0, length)))
  return bytes.length - (cut ?? 0)
}
