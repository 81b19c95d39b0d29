import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { Service } from './helper.ts'

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
  const size = Buffer.alloc(length < 126 ? 1 : 9, 0x80 | (length < 126 ? length : 127)) // a ping's is short, or it is none
  if (length >= 126) size.writeBigUInt64BE(BigInt(length), 1)
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

/** What has been written and nobody has read: it waits in the kernel, here or there. */
export function inKernel({ localPort, remotePort }: Socket): number {
  const hex = (port?: number) => port!.toString(16).toUpperCase().padStart(4, '0')
  const [own, other] = [hex(localPort), hex(remotePort)]
  const rows = readFileSync('/proc/net/tcp', 'utf8').matchAll(/:(\w{4}) \w{8}:(\w{4}) \w\w (\w{8}):(\w{8}) /g)
  let bytes = 0
  for (const [, from, to, unsent, unread] of rows) {
    if (from === own && to === other) bytes += Number.parseInt(unsent!, 16)
    if (from === other && to === own) bytes += Number.parseInt(unread!, 16)
  }
  return bytes
}

export const isClosed = (socket: Socket) => socket.destroyed || socket.readyState !== 'open'

export const MiB = 1_048_576

/** How much the service has grown at most while `act` ran, in MiB. */
export async function growthDuring(service: Service, act: () => Promise<unknown>): Promise<number> {
  const before = service.rssBytes()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, service.rssBytes())
  }, 20)
  await act()
  clearInterval(timer)
  return (Math.max(peak, service.rssBytes()) - before) / MiB
}

/** A request with the token, as it goes over the wire. */
export const requestText = (service: Service, line: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\n${more}\r\n`

/** So many connections, none of which reads. */
export async function openMany(count: number, open: () => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let n = 0; n < count; n++) sockets.push((await open()).pause())
  return sockets
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
