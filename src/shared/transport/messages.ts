import type { WebSocket } from 'ws'

/** A WebSocket message, or the code and reason of a close. */
type SocketMessage = { data: Buffer; isBinary: boolean } | { code: number; reason: string }

const [TEXT, BINARY, CLOSE] = [0, 1, 2]
/** A u8 kind and a u32 length (big-endian). */
const HEAD_BYTES = 5

/** Encodes a message as bytes. The results can be concatenated. */
export function packMessage(message: SocketMessage): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  const isClose = 'code' in message
  const data = isClose ? Buffer.from(JSON.stringify(message)) : message.data
  head[0] = isClose ? CLOSE : message.isBinary ? BINARY : TEXT
  head.writeUInt32BE(data.length, 1)
  return Buffer.concat([head, data])
}

/** Sends a message; resolves when it was sent or sending failed. */
export const sendMessage = (socket: WebSocket, message: SocketMessage): Promise<void> =>
  new Promise((resolve) => {
    if ('data' in message) socket.send(message.data, { binary: message.isBinary }, () => resolve())
    else resolve(socket.close(message.code, message.reason))
  })

/** Returns a function that takes the bytes of packed messages in pieces of any size and returns each complete message. Throws for a malformed message or one above `maxBytes`. */
export function createUnpacker(maxBytes: number): (bytes: Uint8Array) => SocketMessage[] {
  let [chunks, held, needed] = [[] as Uint8Array[], 0, HEAD_BYTES]
  return (bytes) => {
    chunks.push(bytes)
    held += bytes.length
    if (held < needed) return []
    let rest = Buffer.concat(chunks)
    const messages: SocketMessage[] = []
    for (needed = HEAD_BYTES; rest.length >= needed; needed = HEAD_BYTES) {
      const length = rest.readUInt32BE(1)
      if (length > maxBytes) throw new RangeError(`message: expected at most ${maxBytes} bytes, got ${length}`)
      needed += length
      if (rest.length < needed) break
      messages.push(toMessage(rest[0]!, rest.subarray(HEAD_BYTES, needed)))
      rest = rest.subarray(needed)
    }
    ;[chunks, held] = [[rest], rest.length]
    return messages
  }
}

const toMessage = (kind: number, data: Buffer): SocketMessage =>
  kind === CLOSE ? closing(JSON.parse(data.toString())) : { data, isBinary: kind === BINARY }

const closing = ({ code, reason }: { code: number; reason: string }): SocketMessage => ({
  code: closeCode(Number(code)),
  reason: closeReason(String(reason)),
})

/** Replaces codes that must not be sent, because the protocol reserves them. */
const closeCode = (code: number): number =>
  code >= 1000 && code < 5000 && ![1004, 1005, 1006, 1015].includes(code) ? code : 1011

/** Converts a text to a valid close reason: ASCII, at most 123 bytes. */
export const closeReason = (text: string): string => text.replace(/[^ -~]/g, '?').slice(0, MAX_REASON_BYTES)

const MAX_REASON_BYTES = 123
