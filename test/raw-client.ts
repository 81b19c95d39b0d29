import { connect, type Socket } from 'node:net'

/** A connection of bytes to a service on loopback; whatever becomes of it, it throws nothing. */
export async function openRaw(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await Promise.race([happened(socket, 'connect'), closed(socket)])
  if (text) socket.write(text)
  return socket
}

/** The same, upgraded to WebSocket; `token`: shown in the header. */
export async function openRawWebSocket(port: number, token?: string): Promise<Socket> {
  const socket = await openRaw(port, upgradeOf(token))
  await Promise.race([happened(socket, 'data'), closed(socket)])
  return socket
}

const upgradeOf = (token?: string) =>
  [
    'GET /ws HTTP/1.1',
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    '\r\n',
  ].join('\r\n')

/** A frame as a client sends it, masked with zeros. `opcode`: 1 text, 2 binary, 9 ping; `length`: said, where it is not the true one. */
export function frame(opcode: number, data: Buffer | string = '', length = Buffer.byteLength(data)): Buffer {
  const size = Buffer.alloc(9)
  size[0] = 0x80 | 127
  size.writeBigUInt64BE(BigInt(length), 1)
  return Buffer.concat([Buffer.from([0x80 | opcode]), size, Buffer.alloc(4), Buffer.from(data)])
}

/** Writes as much as the other side takes, up to `maxBytes`; resolves with how much that was when it took nothing for a while. */
export async function pour(socket: Socket, piece: Buffer, maxBytes: number, quietMs = 500): Promise<number> {
  let poured = 0
  while (poured < maxBytes && !socket.destroyed) {
    poured += piece.length
    if (socket.write(piece)) continue
    const quiet = new Promise((resolve) => setTimeout(resolve, quietMs, 'quiet'))
    if ((await Promise.race([happened(socket, 'drain'), closed(socket), quiet])) === 'quiet') break
  }
  return poured
}

/** Resolves when it is closed, with or without an error. */
export const closed = (socket: Socket) => happened(socket, 'close')

const happened = (socket: Socket, event: string) => new Promise<void>((resolve) => socket.once(event, () => resolve()))

export const isClosed = (socket: Socket) => socket.destroyed || socket.readyState !== 'open'
