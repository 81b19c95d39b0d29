import { once } from 'node:events'
import { soon } from './helper.ts'
import { frame, openRaw, openRawWebSocket } from './raw-client.ts'

/** Every tenth length of what is cut short, from one byte on; with `every` 3 every third of those, with another `turn` others. */
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

/** A request as it goes over the wire. */
export function wireText({ method, path, headers, body }: Request): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host: 'localhost', ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}

/** Sends so much and says that it was all; resolves when the other side has closed the connection for it. */
export async function sendAndEnd(port: number, bytes: Buffer | string): Promise<void> {
  const socket = await openRaw(port)
  socket.resume().end(bytes)
  await soon(once(socket, 'close'))
}

/** Sends so much and is gone, as who loses the network and comes back. */
export async function sendAndReset(port: number, bytes: Buffer | string): Promise<void> {
  const socket = await openRaw(port)
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  socket.resetAndDestroy()
}

/** Where a WebSocket is opened; `path`: `/ws` where none is named. */
interface Door {
  port: number
  token: string
  path?: string
}

/** The status of the answer, whose rest is not waited for. */
export async function statusOf(port: number, request: Request): Promise<number> {
  const socket = await openRaw(port, wireText(request))
  const [data] = (await soon(once(socket, 'data'))) as [Buffer]
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1])
}

/** Upgrades, sends so many bytes of the frame of this message, and closes. */
export async function sendCutFrame(at: Door, text: string, length: number): Promise<void> {
  const socket = await openRawWebSocket(at.port, at.token, at.path)
  socket.resume().end(frame(1, text).subarray(0, length))
  await soon(once(socket, 'close'))
}
