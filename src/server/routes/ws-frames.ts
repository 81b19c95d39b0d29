import { type OutputPiece, stdinOf } from '../exec/index.ts'
import { invalid, ShellphoneError } from '../../shared/schema/index.ts'
import { toShellphoneError } from '../../http/index.ts'
import type { WsSession } from './ws-session.ts'

const streams = ['stdin', 'stdout', 'stderr'] as const
const ID_BYTES = 26
/** u8 stream, u64 offset (big-endian), the run's id in ASCII. */
const HEAD_BYTES = 1 + 8 + ID_BYTES

/** Encodes bytes of a stream as a binary message. */
export function toFrame(id: string, { stream, offset, data }: OutputPiece): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head[0] = streams.indexOf(stream)
  head.writeBigUInt64BE(BigInt(offset), 1)
  head.write(id, 1 + 8, 'latin1')
  return Buffer.concat([head, data])
}

/** Takes a piece of stdin. Any error is sent as an `error` message about its run, and the connection stays open. Never rejects. */
export async function handleFrame({ connection, executor }: WsSession, frame: Buffer): Promise<void> {
  if (frame.length < HEAD_BYTES) {
    return connection.sendError(
      {},
      invalid(`binary message: expected at least ${HEAD_BYTES} bytes, got ${frame.length}`),
    )
  }
  const id = frame.toString('latin1', 1 + 8, HEAD_BYTES)
  try {
    if (frame[0] !== 0) throw invalid(`binary message: expected stream 0, stdin, got ${frame[0]}`)
    const offset = Number(frame.readBigUInt64BE(1))
    await stdinOf(await executor.running(id)).take(frame.subarray(HEAD_BYTES), { offset })
  } catch (error) {
    connection.sendError({ id }, toShellphoneError(error as ShellphoneError))
  }
}
