import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A connection with more data than this waiting for its parser is not read; the rest waits in the kernel. */
const MAX_HELD_BYTES = 16_384
/** The time that all parsers together get in one turn of the event loop; readers with more data wait in a queue. */
const TURN_MS = 10
/** The size of a piece of a chunked body, adapted to how long the last piece took: a chunk may be one byte, and each chunk takes time. */
const PIECE_BYTES = { least: 512, most: 65_536 }
const PIECE_MS = 0.5
/** Parser time for the rest of a request that has already been answered; after that, the connection is closed. */
const MAX_ANSWERED_MS = 20
const HEAD_END = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

/**
 * A hook into Node's internals: it replaces the listener that feeds a connection's HTTP parser (test/server/routes/pipelined, turns).
 * The requests of one connection are read one after the other, each in its own turn of the event loop, as the responses are sent. A response that
 * nobody reads delays the next request. Without the hook, Node would parse a whole chunk and emit every request in it, up to 2 000, at once.
 */
export function takeTurns({ server }: FastifyInstance): void {
  const readers = new WeakMap<Socket, Reader>()
  const queue = createTurnQueue()
  server.on('connection', (socket: Socket) => readers.set(socket, createReader(socket, queue)))
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
    readers.get(request.socket)?.begin(request, response),
  )
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => readers.get(socket)?.leave())
}

/** Readers wait here; the first to come is the first to read one piece. */
interface TurnQueue {
  /** whether no reader is waiting and time is left in this turn of the event loop */
  isFree(): boolean
  /** Calls `read` in a later turn, after the readers that are already waiting. */
  wait(read: () => void): void
}

function createTurnQueue(): TurnQueue {
  const waiting = new Set<() => void>()
  let endsAt = 0 // the end of the current turn; 0: no turn has begun
  const hasTime = () => {
    if (endsAt === 0) {
      endsAt = performance.now() + TURN_MS
      setImmediate(next)
    }
    return performance.now() < endsAt
  }
  const next = () => {
    endsAt = 0
    for (const read of [...waiting]) {
      if (!hasTime()) return
      waiting.delete(read)
      read()
    }
  }
  return {
    isFree: () => waiting.size === 0 && hasTime(),
    wait(read) {
      waiting.add(read)
      hasTime() // starts a turn; `read` is called when it ends
    },
  }
}

interface Reader {
  /** call when the head of a request has arrived; its body may still follow */
  begin(request: IncomingMessage, response: ServerResponse): void
  /** call when the connection has switched to another protocol */
  leave(): void
}

/** A request whose head was read, and its response. */
interface Exchange {
  request: IncomingMessage
  /** bytes of the body still to come; Infinity for a chunked body */
  bodyBytes: number
  isAnswered: boolean
  /** parser time left after the request is answered */
  spareMs: number
}

/** Takes the data of a connection and passes it on to the parser. */
function createReader(socket: Socket, queue: TurnQueue): Reader {
  const [parse] = socket.listeners('data') as [(chunk: Buffer) => void]
  let held: Buffer = NOTHING
  let isHeld = false
  let pieceBytes = PIECE_BYTES.least // the size of the next piece of a chunked body
  let latest: Exchange | null = null

  const isBusy = () => latest?.request.complete === true && !latest.isAnswered
  // also runs at the end of each request, because Node resumes the socket then
  const holdOrFlow = () => {
    if (held.length > MAX_HELD_BYTES) socket.pause()
    else if (isHeld) socket.resume()
    isHeld = held.length > MAX_HELD_BYTES
  }
  const parseSome = () => {
    for (let count = 0; held.length > 0 && !isBusy() && !socket.destroyed; count++) {
      const isSized = latest?.request.complete === false && latest.bodyBytes < Infinity
      const length = isSized ? Math.min(latest!.bodyBytes, held.length) : messageLength(held, pieceBytes)
      if (length === 0) return
      if (count > 0 && !queue.isFree()) return queue.wait(read)
      const piece = held.subarray(0, length)
      held = held.subarray(length)
      if (latest) latest.bodyBytes -= length
      const began = performance.now()
      parse(piece)
      const tookMs = performance.now() - began
      const isQuick = tookMs < PIECE_MS
      pieceBytes = isQuick ? Math.min(pieceBytes * 2, PIECE_BYTES.most) : Math.max(pieceBytes / 2, PIECE_BYTES.least)
      if (latest?.isAnswered && !latest.request.complete && (latest.spareMs -= tookMs) < 0) socket.destroy()
    }
  }
  const read = () => {
    parseSome()
    holdOrFlow()
  }
  const take = (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    if (queue.isFree()) parseSome()
    else queue.wait(read)
    holdOrFlow()
  }
  socket.off('data', parse).on('data', take).on('resume', holdOrFlow)
  return {
    begin(request, response) {
      if (isBusy()) return void socket.destroy()
      const { 'transfer-encoding': chunks, 'content-length': length = 0 } = request.headers
      const bodyBytes = chunks === undefined ? Number(length) : Infinity
      const exchange: Exchange = (latest = { request, bodyBytes, isAnswered: false, spareMs: MAX_ANSWERED_MS })
      response.once('close', () => {
        exchange.isAnswered = true
        if (held.length > 0) queue.wait(read)
      })
    },
    leave() {
      socket.off('data', take).off('resume', holdOrFlow)
      if (held.length > 0) socket.unshift(held)
      held = NOTHING
    },
  }
}

/** The length up to the end of a head or of a piece of a chunked body, so that a piece never spans two messages. An incomplete end of a head stays in `held`. */
function messageLength(held: Buffer, mostBytes: number): number {
  const bytes = held.subarray(0, mostBytes)
  const end = bytes.indexOf(HEAD_END)
  if (end >= 0) return end + HEAD_END.length
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - HEAD_END.length + 1))
  const cut = [3, 2, 1].find((length) => tail.endsWith(HEAD_END.slice(0, length)))
  return bytes.length - (cut ?? 0)
}
