import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createLedger, type Ledger, roomIn } from './ledger.ts'

/** Answers and events that clients have not taken yet, of all connections together. */
const MAX_UNSENT_BYTES = 33_554_432
/** Bodies and messages that are not whole yet; at least two of the largest. */
const MAX_UNREAD_BYTES = 33_554_432
/** Smaller answers are not counted, and never wait. */
const SMALL_BYTES = 65_536

/** What all connections together may hold in memory. */
export interface Bounds {
  unsent: Ledger<Socket>
  unread: Ledger<Socket>
}

/** Counts bodies as they come and answers until they have left; a large answer is not made before there is room. */
export function boundMemory(app: FastifyInstance, bodyLimitBytes: number): Bounds {
  const cut = (socket: Socket) => void socket.destroy()
  const unsent = createLedger(MAX_UNSENT_BYTES, cut)
  let turn = Promise.resolve() // large answers are made one in each turn of the event loop: many at once would hold it up
  const unread = createLedger(Math.max(MAX_UNREAD_BYTES, 2 * bodyLimitBytes), cut)
  app.addHook('preParsing', (request, _reply, payload, done) => {
    countBody(request, unread, bodyLimitBytes)
    done(null, payload)
  })
  app.addHook('preSerialization', (_request, _reply, payload, done) => {
    if (lengthOf(payload) < SMALL_BYTES) return done(null, payload)
    turn = turn.then(nextTurn).then(() => roomIn(unsent))
    void turn.then(() => done(null, payload))
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    countAnswer(reply, payload, unsent)
    done(null, payload)
  })
  return { unsent, unread }
}

function countBody({ raw, headers }: FastifyRequest, unread: Ledger<Socket>, limitBytes: number): void {
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] ? 1 : 0))
  if (length === 0 || length > limitBytes) return
  const { socket } = raw
  let bytes = 0
  raw.on('data', (chunk: Buffer) => {
    bytes = Math.min(bytes + chunk.length, limitBytes)
    unread.note(socket, bytes, true)
  })
  raw.once('close', () => unread.note(socket, 0, true))
}

function countAnswer({ raw }: FastifyReply, payload: unknown, unsent: Ledger<Socket>): void {
  const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
  const { socket } = raw
  if (bytes < SMALL_BYTES || !socket) return
  unsent.note(socket, bytes, false)
  raw.once('close', () => unsent.note(socket, 0, true))
}

/** Of the texts in an answer. */
function lengthOf(payload: unknown): number {
  const texts = Object.values(payload ?? {}).filter((value) => typeof value === 'string')
  return texts.reduce((sum, text) => sum + text.length, 0)
}
