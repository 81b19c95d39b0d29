import type { WebSocket } from 'ws'
import { CancelController, type CancelSignal, type ShellphoneError } from '../schema/index.ts'

/** A reader with this much unsent is slow: what sends to it waits. */
const SLOW_READER_BYTES = 131_072

/** One WebSocket connection: JSON out, with flow control; `gone` aborts when it drops. */
export interface Connection {
  readonly gone: CancelSignal
  /** Sends at once; resolves when there is room for more (at once for a quick reader). */
  send(message: object): Promise<void>
  sendError(ref: string | undefined, error: ShellphoneError): void
  close(code: number, reason: string): void
}

export function createConnection(socket: WebSocket): Connection {
  const gone = new CancelController()
  socket.on('close', () => gone.abort())
  socket.on('error', () => socket.terminate())
  const send = (message: object) =>
    new Promise<void>((resolve) => {
      if (socket.readyState !== socket.OPEN) return resolve()
      const isSlow = socket.bufferedAmount > SLOW_READER_BYTES
      socket.send(JSON.stringify(message), () => isSlow && resolve())
      if (!isSlow) resolve()
    })
  return {
    gone: gone.signal,
    send,
    sendError: (ref, error) => void send({ type: 'error', ...(ref === undefined ? {} : { ref }), ...error.toBody() }),
    close: (code, reason) => socket.close(code, reason),
  }
}

/** Pings every `intervalMs`; a peer that has not answered the one before is dead (doze, lost Wi-Fi) and is cut off. */
export function heartbeat(socket: WebSocket, intervalMs: number): void {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, intervalMs)
  socket.on('close', () => clearInterval(timer))
}
