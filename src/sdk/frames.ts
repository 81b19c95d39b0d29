import { PhoneError } from './phone-error.ts'

/** The two streams of a command's output. */
export type Stream = 'stdout' | 'stderr'

/** Bytes of a run's stream, with their offset in the stream. */
export interface Frame {
  id: string
  stream: Stream
  offset: number
  bytes: Uint8Array<ArrayBuffer>
}

/** The header: u8 stream, u64 offset (big-endian), 26 characters of the run's id. The bytes follow. */
const HEAD_BYTES = 35
const OFFSET_AT = 1
const ID_AT = 9
const STDIN = 0
const streams: Record<number, Stream> = { 1: 'stdout', 2: 'stderr' }

/** Encodes a piece of stdin for the wire. */
export function toFrame(id: string, offset: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(HEAD_BYTES + bytes.length)
  const view = new DataView(frame.buffer)
  view.setUint8(0, STDIN)
  view.setBigUint64(OFFSET_AT, BigInt(offset))
  for (let at = 0; at < id.length; at++) view.setUint8(ID_AT + at, id.charCodeAt(at))
  frame.set(bytes, HEAD_BYTES)
  return frame
}

/** Decodes a piece of output. Throws PhoneError for any other data. */
export function fromFrame(data: Uint8Array<ArrayBuffer>): Frame {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  const stream = data.length > HEAD_BYTES ? streams[view.getUint8(0)] : undefined
  if (!stream) throw new PhoneError('unreachable', 'expected a piece of output, got another binary message')
  return {
    id: String.fromCharCode(...data.subarray(ID_AT, HEAD_BYTES)),
    stream,
    offset: Number(view.getBigUint64(OFFSET_AT)),
    bytes: data.subarray(HEAD_BYTES),
  }
}
