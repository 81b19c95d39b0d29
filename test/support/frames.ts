import { openSocket, type Service } from './helper.ts'

interface WireError {
  type: string
  message: string
}

/** Encodes a piece of stdin as a binary message. */
export function stdinFrame(id: string, offset: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(35)
  head.writeBigUInt64BE(BigInt(offset), 1)
  head.write(id, 9, 'latin1')
  return Buffer.concat([head, bytes])
}

/** A piece of output from a binary message. */
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

/** Opens a connection with binary frames; calls `onPiece` for each piece of output. */
export async function openFrames({ url, token }: Service, onPiece: (piece: Piece) => void = () => {}) {
  const socket = await openSocket(url, token, (data) => onPiece(toPiece(data)))
  const { raw, messages, send, next, close } = socket
  raw.on('error', () => {})
  send({ type: 'frames', frames: 'binary' })
  return {
    raw,
    messages,
    send,
    next,
    bytes: (frame: Buffer) => raw.send(frame),
    /** resolves with the first matching offset of a stdin_taken */
    taken: async (fits: (offset: number) => boolean) =>
      Number((await next(({ type, offset }) => type === 'stdin_taken' && fits(Number(offset)))).offset),
    result: () => next(({ type }) => type === 'result'),
    errors: () => messages.filter(({ type }) => type === 'error').map(({ error }) => error as WireError),
    close,
  }
}
