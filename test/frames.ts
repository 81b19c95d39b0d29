import { once } from 'node:events'
import WebSocket from 'ws'
import type { Service } from './helper.ts'

type Message = { type: string; id?: string; offset?: number } & Record<string, unknown>
interface WireError {
  type: string
  message: string
}

/** A binary message of stdin as a client sends it. */
export function stdinFrame(id: string, offset: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(35)
  head.writeBigUInt64BE(BigInt(offset), 1)
  head.write(id, 9, 'latin1')
  return Buffer.concat([head, bytes])
}

/** A piece of output as it came in a binary message. */
export interface Piece {
  id: string
  stream: 'stdout' | 'stderr'
  offset: number
  bytes: Buffer
}

const toPiece = (frame: Buffer): Piece => ({
  id: frame.toString('latin1', 9, 35),
  stream: frame[0] === 1 ? 'stdout' : 'stderr',
  offset: Number(frame.readBigUInt64BE(1)),
  bytes: frame.subarray(35),
})

/** A connection that has asked for binary frames. `onPiece`: called for each piece of output. */
export async function openFrames({ url, token }: Service, onPiece: (piece: Piece) => void = () => {}) {
  const headers = { authorization: `Bearer ${token}` }
  const raw = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers, maxPayload: 0 })
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  raw.on('error', () => {})
  raw.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) return onPiece(toPiece(data))
    messages.push(JSON.parse(data.toString()) as Message)
    for (const look of waiting) look()
  })
  await once(raw, 'open')
  const next = (fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve) => {
      const look = () => {
        const found = messages.find(fits)
        if (!found) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  const send = (message: object) => raw.send(JSON.stringify(message))
  send({ type: 'frames', frames: 'binary' })
  return {
    raw,
    messages,
    send,
    next,
    bytes: (frame: Buffer) => raw.send(frame),
    /** resolves with the first offset of a stdin_taken that fits */
    taken: async (fits: (offset: number) => boolean) =>
      (await next(({ type, offset }) => type === 'stdin_taken' && fits(offset!))).offset!,
    result: () => next(({ type }) => type === 'result'),
    errors: () => messages.filter(({ type }) => type === 'error').map(({ error }) => error as WireError),
    close: async () => {
      raw.close()
      if (raw.readyState !== WebSocket.CLOSED) await once(raw, 'close')
    },
  }
}
