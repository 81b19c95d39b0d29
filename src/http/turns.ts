import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A connection of which more than this waits for the parser is not read from: the rest waits in the kernel. */
const MAX_HELD_BYTES = 16_384
/** What all parsers together get of one turn of the event loop; whoever has more to read waits in line. */
const TURN_MS = 10
/** A piece of a body in chunks, at most: a chunk may be one byte, and each costs. It grows and shrinks by what the last one took. */
const PIECE_BYTES = { least: 512, most: 65_536 }
const PIECE_MS = 0.5
/** What still comes of a request that has its answer may cost so much of the parser, until its connection goes. */
const MAX_ANSWERED_MS = 20
const HEAD_END = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

/**
 * A hook into Node's internals: it takes the place of the listener that feeds a connection's HTTP parser (test/server/routes/pipelined, turns).
 * Requests of one connection are read one after the other, each in a turn of the event loop, as the answers leave: those that nobody
 * reads are not made. Node alone would parse a chunk whole and hand over every request in it, 2 000 of them, at once.
 */
export function takeTurns({ server }: FastifyInstance): void {
  const readers = new WeakMap<Socket, Reader>()
  const line = createLine()
  server.on('connection', (socket: Socket) => readers.set(socket, createReader(socket, line)))
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
    readers.get(request.socket)?.begin(request, response),
  )
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => readers.get(socket)?.leave())
}

/** Where readers wait, first come, first served, for one piece each. */
interface TurnQueue {
  /** Nobody waits, and there is time left in this turn of the event loop. */
  isFree(): boolean
  /** Calls in a later turn, behind whoever waits already. */
  wait(read: () => void): void
}

function createLine(): TurnQueue {
  const waiting = new Set<() => void>()
  let endsAt = 0 // of the turn that has begun; 0: none has
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
      hasTime() // a turn begins, at whose end it is called
    },
  }
}

interface Reader {
  /** this request has come; its body may still be on its way */
  begin(request: IncomingMessage, response: ServerResponse): void
  /** it speaks another protocol from now on */
  leave(): void
}

/** A request whose head was read, and its answer. */
interface Exchange {
  request: IncomingMessage
  /** of its body, that have not come; Infinity: its chunks say so */
  bodyBytes: number
  isAnswered: boolean
  /** what the parser may still spend on it then */
  spareMs: number
}

/** Stands between a connection and its parser. */
function createReader(socket: Socket, line: TurnQueue): Reader {
  const [parse] = socket.listeners('data') as [(chunk: Buffer) => void]
  let held: Buffer = NOTHING
  let isHeld = false
  let pieceBytes = PIECE_BYTES.least // how long the next piece of a body in chunks may be
  let latest: Exchange | null = null

  const isBusy = () => latest?.request.complete === true && !latest.isAnswered
  // at the end of each request, too: Node lets it flow then
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
      if (count > 0 && !line.isFree()) return line.wait(read)
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
    if (line.isFree()) parseSome()
    else line.wait(read)
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
        if (held.length > 0) line.wait(read)
      })
    },
    leave() {
      socket.off('data', take).off('resume', holdOrFlow)
      if (held.length > 0) socket.unshift(held)
      held = NOTHING
    },
  }
}

/** Up to the end of a head, or of what comes in chunks: no two messages lie before that. An end that is not whole yet stays. */
function messageLength(held: Buffer, mostBytes: number): number {
  const bytes = held.subarray(0, mostBytes)
  const end = bytes.indexOf(HEAD_END)
  if (end >= 0) return end + HEAD_END.length
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - HEAD_END.length + 1))
  const cut = [3, 2, 1].find((length) => tail.endsWith(HEAD_END.slice(0, length)))
  return bytes.length - (cut ?? 0)
}
