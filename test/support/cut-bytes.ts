import { once } from 'node:events'
import { soon } from './helper.ts'
import { frame, openRaw, openRawWebSocket } from './raw-client.ts'

/** Every tenth length at which to cut, starting with one byte; with `every` 3 every third of those, starting at `turn`. */
export const cutsOf = (length: number, every: number, turn: number): number[] =>
  Array.from({ length: Math.ceil((length - 1) / 10) }, (_, index) => 1 + index * 10).filter(
    (_, index) => (index + turn) % every === 0,
  )

interface Request {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

/** The bytes of a request. */
export function wireText({ method, path, headers, body }: Request): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host: 'localhost', ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}

/** Sends the bytes and ends the stream; resolves when the other side has closed the connection. */
export async function sendAndEnd(port: number, bytes: Buffer | string): Promise<void> {
  const socket = await openRaw(port)
  socket.resume().end(bytes)
  await soon(once(socket, 'close'))
}

/** Sends the bytes and resets the connection, like a client that loses its network and returns. */
export async function sendAndReset(port: number, bytes: Buffer | string): Promise<void> {
  const socket = await openRaw(port)
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  socket.resetAndDestroy()
}

/** The address of a WebSocket; `path` (default: `/ws`). */
interface SocketAddress {
  port: number
  token: string
  path?: string
}

/** The status of the response, without waiting for the rest. */
export async function statusOf(port: number, request: Request): Promise<number> {
  const socket = await openRaw(port, wireText(request))
  const [data] = (await soon(once(socket, 'data'))) as [Buffer]
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1])
}

/** Opens a WebSocket, sends the first `length` bytes of the message's frame, and closes. */
export async function sendCutFrame(at: SocketAddress, text: string, length: number): Promise<void> {
  const socket = await openRawWebSocket(at.port, at.token, at.path)
  socket.resume().end(frame(1, text).subarray(0, length))
  await soon(once(socket, 'close'))
}
