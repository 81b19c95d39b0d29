import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { type Service, until } from './helper.ts'

/** Opens a TCP connection to a service on loopback. Its errors are ignored. */
export async function openRaw(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await Promise.race([happened(socket, 'connect'), closed(socket)])
  if (text) socket.write(text)
  return socket
}

/** The same, upgraded to WebSocket; `token` is sent in the header. */
export async function openRawWebSocket(port: number, token?: string, path = '/ws'): Promise<Socket> {
  const socket = await openRaw(port, upgradeOf(path, token))
  await Promise.race([happened(socket, 'data'), closed(socket)])
  return socket
}

const upgradeOf = (path: string, token?: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    '\r\n',
  ].join('\r\n')

/** A client's frame, masked with zeros. `opcode`: 1 text, 2 binary, 9 ping; `length`: announced, if it differs from the real one. */
export function frame(opcode: number, data: Buffer | string = '', length = Buffer.byteLength(data)): Buffer {
  const size = Buffer.alloc(length < 126 ? 1 : 9, 0x80 | (length < 126 ? length : 127)) // a ping has at most 125 bytes
  if (length >= 126) size.writeBigUInt64BE(BigInt(length), 1)
  return Buffer.concat([Buffer.from([0x80 | opcode]), size, Buffer.alloc(4), Buffer.from(data)])
}

/**
 * Writes up to `maxBytes`, as long as the other side accepts them and does not close the connection. With a `reader` it also stops when that
 * service has accepted nothing during many other requests. Resolves with the number of bytes written.
 */
export async function pour(socket: Socket, piece: Buffer, maxBytes: number, reader?: Service): Promise<number> {
  let poured = 0
  while (poured < maxBytes && !socket.destroyed) {
    poured += piece.length
    if (socket.write(piece)) continue
    let isTaken = false
    const taken = Promise.race([happened(socket, 'drain'), closed(socket)]).then(() => (isTaken = true))
    if (reader === undefined) await taken
    for (let n = 0; n < MANY_REQUESTS && !isTaken; n++) await Promise.race([taken, answerOne(reader!)])
    if (!isTaken) break
  }
  return poured
}

const MANY_REQUESTS = 50
const answerOne = async (service: Service) => void (await (await service.request('/health')).text())

/** Resolves when the service has answered many requests: by then it has read and written everything that it will. */
export async function turnsOf(service: Service): Promise<void> {
  for (let n = 0; n < MANY_REQUESTS; n++) await answerOne(service)
}

/** Resolves when the connection is closed, with or without an error. */
export const closed = (socket: Socket) => happened(socket, 'close')

const happened = (socket: Socket, event: string) => new Promise<void>((resolve) => socket.once(event, () => resolve()))

/** Both ends of every TCP connection on this machine, from /proc. */
function connectionEnds() {
  const rows = readFileSync('/proc/net/tcp', 'utf8').matchAll(/:(\w{4}) \w{8}:(\w{4}) \w\w (\w{8}):(\w{8}) /g)
  return [...rows].map((row) => {
    const [from, to, unsent, unread] = row.slice(1).map((text) => Number.parseInt(text, 16))
    return { from: from!, to: to!, unsent: unsent!, unread: unread! }
  })
}

/** The bytes written but not read yet, in the kernel's buffers of both ends. */
export function inKernel({ localPort, remotePort }: Socket): number {
  let bytes = 0
  for (const { from, to, unsent, unread } of connectionEnds()) {
    if (from === localPort && to === remotePort) bytes += unsent
    if (from === remotePort && to === localPort) bytes += unread
  }
  return bytes
}

/** Closes our end of a connection; resolves when the other side has closed its own. */
export async function cut(socket: Socket): Promise<void> {
  const { localPort, remotePort } = socket
  socket.destroy()
  await until(() => !connectionEnds().some(({ from, to }) => from === remotePort && to === localPort))
}

export const isClosed = (socket: Socket) => socket.destroyed || socket.readyState !== 'open'

export const MiB = 1_048_576

/** The maximum growth of the service's memory while `act` runs, in MiB. */
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

/** The bytes of a request with the token. */
export const requestText = (service: Service, line: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\n${more}\r\n`

/** Opens `count` connections that do not read. */
export async function openMany(count: number, open: () => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let n = 0; n < count; n++) sockets.push((await open()).pause())
  return sockets
}
