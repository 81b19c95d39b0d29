import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Blocks } from '../../http/index.ts'

/** Answers and events that clients have not taken yet, of all connections together. */
const MAX_UNSENT_BYTES = 33_554_432
/** The same of who has shown no token: callers wait for none of it. */
const MAX_STRANGERS_BYTES = 8_388_608
/** Bodies and messages that are not whole yet; at least two of the largest. */
const MAX_UNREAD_BYTES = 16_777_216
/** Smaller answers are not counted, and never wait; smaller bodies are not counted. */
const SMALL_BYTES = 65_536
const SMALL_BODY_BYTES = 4_096
/** A body of more pieces than this, and smaller ones on average, costs far more than it holds: its client is cut. */
const PIECES = { most: 4_096, leastBytes: 4 }

/** What all connections together may hold in memory. */
export interface Bounds {
  unsent: Ledger<Socket>
  unread: Ledger<Socket>
  /** Waited for before anything large is made or read: one in each turn of the event loop, and only while there is room for what it sends. */
  turn(): Promise<void>
}

/** Counts bodies as they come and answers until they have left; a large answer is not made before there is room. */
export function boundMemory(app: FastifyInstance, bodyLimitBytes: number): Bounds {
  const cut = (socket: Socket) => void socket.destroy()
  const unsent = createLedger(MAX_UNSENT_BYTES, cut)
  const strangers = createLedger(MAX_STRANGERS_BYTES, cut)
  const unread = createLedger(Math.max(MAX_UNREAD_BYTES, 2 * bodyLimitBytes), cut)
  let last = Promise.resolve()
  /** Never rejects. */
  const turn = () => {
    last = last.then(nextTurn).then(() => (unsent.hasRoom() ? undefined : new Promise<void>(unsent.whenRoom)))
    return last
  }
  app.addHook('preParsing', ({ raw, headers, routeOptions }, _reply, payload, done) => {
    const bytes = Number(headers['content-length'] ?? 0)
    const isLarge = bytes > SMALL_BODY_BYTES || headers['transfer-encoding'] !== undefined
    const limitBytes = routeOptions.bodyLimit ?? bodyLimitBytes
    if (!isLarge || bytes > limitBytes || routeOptions.config.streams) return done(null, payload)
    countBody(raw, unread, limitBytes)
    done(
      null,
      pipeline(raw, new Blocks(), () => {}), // whoever reads it hears of its end, good or bad
    )
  })
  app.addHook('preSerialization', (_request, _reply, payload, done) => {
    let characters = 0
    for (const value of Object.values(payload ?? {})) if (typeof value === 'string') characters += value.length
    if (characters < SMALL_BYTES) return done(null, payload)
    void turn().then(() => done(null, payload))
  })
  app.addHook('onSend', ({ who }, { raw }, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    if (bytes >= SMALL_BYTES) countAnswer(raw, bytes, who ? unsent : strangers)
    done(null, payload)
  })
  return { unsent, unread, turn }
}

function countBody(raw: IncomingMessage, unread: Ledger<Socket>, limitBytes: number): void {
  const { socket } = raw
  let [bytes, pieces] = [0, 0]
  raw.on('data', (chunk: Buffer) => {
    bytes = Math.min(bytes + chunk.length, limitBytes)
    unread.note(socket, bytes, true)
    if (++pieces > PIECES.most && bytes < pieces * PIECES.leastBytes) socket.destroy()
  })
  raw.once('close', () => unread.note(socket, 0, true))
}

function countAnswer(raw: ServerResponse, bytes: number, unsent: Ledger<Socket>): void {
  const { socket } = raw
  if (!socket) return
  unsent.note(socket, bytes, false)
  raw.once('close', () => unsent.note(socket, 0, true))
}

/** Whoever has moved nothing for so long, while others wait for room, is cut. */
const STUCK_MS = 2_000
/** Among those that moved something within so long, the order in which they did is the event loop's, and no fault of theirs. */
const STILL_MS = 250

/** What waits in memory for clients to take it, or to finish sending it. */
export interface Ledger<Client> {
  /** How many bytes wait for this client now; `moved`: it took or sent some. */
  note(client: Client, bytes: number, moved: boolean): void
  /** there is room for more */
  hasRoom(): boolean
  /** Calls once when there is room again. */
  whenRoom(call: () => void): void
}

/**
 * One bound for all connections together. From half of it on, what is not in memory yet waits for room; past the whole of it, or when
 * nobody frees any for a while, the client that has moved nothing for longest is cut; where all move, the one that began first.
 * `nowMs`: a clock that is never set.
 */
export function createLedger<Client extends object>(
  maxBytes: number,
  cut: (client: Client) => void,
  nowMs = () => performance.now(),
): Ledger<Client> {
  const held = new Map<Client, { bytes: number; movedAt: number }>() // whoever began first comes first
  const waiting = new Set<() => void>()
  let timer: NodeJS.Timeout | null = null
  let total = 0

  const hasRoom = () => total <= maxBytes / 2
  /** It moved nothing for longest, and for longer than that. */
  const stillFor = (ms: number): Client | undefined => {
    let [stillest, before]: [Client | undefined, number] = [undefined, nowMs() - ms]
    for (const [client, { movedAt }] of held) if (movedAt < before) [stillest, before] = [client, movedAt]
    return stillest
  }
  const cutOne = (client: Client) => {
    const { bytes } = held.get(client)!
    held.delete(client)
    total -= bytes
    cut(client)
  }
  const callWaiting = () => {
    for (const call of waiting) {
      if (!hasRoom()) return
      waiting.delete(call)
      call()
    }
    if (waiting.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
  const cutStuck = () => {
    const stuck = stillFor(STUCK_MS)
    if (stuck) cutOne(stuck)
    callWaiting()
  }
  return {
    hasRoom,
    note(client, bytes, moved) {
      const before = held.get(client)
      total += bytes - (before?.bytes ?? 0)
      const movedAt = moved || !before ? nowMs() : before.movedAt
      if (bytes > 0) held.set(client, { bytes, movedAt })
      else held.delete(client)
      while (total > maxBytes && held.size > 1) cutOne(stillFor(STILL_MS) ?? held.keys().next().value!)
      if (waiting.size > 0) callWaiting()
    },
    whenRoom(call) {
      waiting.add(call)
      timer ??= setInterval(cutStuck, STUCK_MS / 4).unref()
    },
  }
}
