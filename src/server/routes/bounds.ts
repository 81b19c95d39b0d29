import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Blocks } from '../../http/index.ts'

/** Limit on the responses and events of all connections together that clients have not read yet. */
const MAX_UNSENT_BYTES = 33_554_432
/** The same for unauthenticated clients, counted separately so that other callers never wait for them. */
const MAX_UNAUTHENTICATED_BYTES = 8_388_608
/** Limit on incomplete bodies and messages; never less than two of the maximum size. */
const MAX_UNREAD_BYTES = 16_777_216
/** Smaller responses are not counted and never wait; smaller bodies are not counted. */
const SMALL_BYTES = 65_536
const SMALL_BODY_BYTES = 4_096
/** A body in more than `most` pieces, smaller than `leastBytes` on average, needs far more memory than its size: its client is disconnected. */
const PIECES = { most: 4_096, leastBytes: 4 }

/** Limits the memory of all connections together. */
export interface Bounds {
  unsent: Ledger<Socket>
  unread: Ledger<Socket>
  /** Await it before creating or reading anything large: it resolves once per turn of the event loop, and only while there is room for the response. */
  turn(): Promise<void>
}

/** Counts bodies as they arrive and responses until they are sent; a large response waits until there is room. */
export function boundMemory(app: FastifyInstance, bodyLimitBytes: number): Bounds {
  const cut = (socket: Socket) => void socket.destroy()
  const unsent = createLedger(MAX_UNSENT_BYTES, cut)
  const unauthenticated = createLedger(MAX_UNAUTHENTICATED_BYTES, cut)
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
      pipeline(raw, new Blocks(), () => {}), // its reader receives the end or the error
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
    if (bytes >= SMALL_BYTES) countResponse(raw, bytes, who ? unsent : unauthenticated)
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

function countResponse(raw: ServerResponse, bytes: number, unsent: Ledger<Socket>): void {
  const { socket } = raw
  if (!socket) return
  unsent.note(socket, bytes, false)
  raw.once('close', () => unsent.note(socket, 0, true))
}

/** A client that has neither read nor sent bytes for this long, while others wait for room, is disconnected. */
const STUCK_MS = 2_000
/** Clients that have read or sent bytes within this time count as equally active: their order depends only on the event loop. */
const ACTIVE_MS = 250

/** Counts the bytes in memory that clients have not read yet, or have not finished sending. */
export interface Ledger<Client> {
  /** Sets how many bytes wait for this client; `moved`: the client has just read or sent some. */
  note(client: Client, bytes: number, moved: boolean): void
  /** Whether there is room for more. */
  hasRoom(): boolean
  /** Calls `call` once, when there is room again. */
  whenRoom(call: () => void): void
}

/**
 * One limit for all connections together. Above half of the limit, new data waits for room. Above the limit, or if waiting data gets no room, the
 * client that has been idle longest is disconnected; if no client is idle, the one that began first. `nowMs`: a monotonic clock.
 */
export function createLedger<Client extends object>(
  maxBytes: number,
  cut: (client: Client) => void,
  nowMs = () => performance.now(),
): Ledger<Client> {
  const held = new Map<Client, { bytes: number; movedAt: number }>() // in the order in which they began
  const waiting = new Set<() => void>()
  let timer: NodeJS.Timeout | null = null
  let total = 0

  const hasRoom = () => total <= maxBytes / 2
  /** The client that has been idle longest, if it has been idle for longer than `ms`. */
  const idleFor = (ms: number): Client | undefined => {
    let [idlest, before]: [Client | undefined, number] = [undefined, nowMs() - ms]
    for (const [client, { movedAt }] of held) if (movedAt < before) [idlest, before] = [client, movedAt]
    return idlest
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
    const stuck = idleFor(STUCK_MS)
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
      while (total > maxBytes && held.size > 1) cutOne(idleFor(ACTIVE_MS) ?? held.keys().next().value!)
      if (waiting.size > 0) callWaiting()
    },
    whenRoom(call) {
      waiting.add(call)
      timer ??= setInterval(cutStuck, STUCK_MS / 4).unref()
    },
  }
}
