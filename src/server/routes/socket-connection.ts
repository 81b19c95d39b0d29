import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { createPromise } from '../../shared/async/index.ts'
import type { ShellphoneError } from '../../shared/schema/index.ts'
import type { Ledger } from './bounds.ts'
import type { ServerMessage } from './server-messages.ts'

/** A reader with this much unsent is slow: what is for it is not made before it has taken that. */
const SLOW_READER_BYTES = 32_768
/** A reader with this much unsent is not read from: each message from it is answered with one or more. */
const UNREAD_BYTES = 1_048_576
/** What a message costs beside its bytes, until it has left. */
const MESSAGE_COST_BYTES = 1024

/** One WebSocket connection: messages out, with flow control; `gone` aborts when it drops. */
export interface Connection {
  readonly gone: AbortSignal
  /**
   * Sends, in order, when there is room (at once for a quick reader); resolves when it has been handed over. A text, or bytes, are made
   * when there is room for them. Never rejects.
   */
  send(message: ServerMessage | (() => string | Buffer), binary?: boolean): Promise<void>
  /** Resolves when a message that is made now could leave at once. */
  room(): Promise<void>
  /** `about`: what the message that is wrong has to tell it from others */
  sendError(about: { ref?: string | undefined; id?: string }, error: ShellphoneError): void
}

interface QueuedMessage {
  message: ServerMessage | (() => string | Buffer) | null
  binary: boolean
  resolve(): void
}

export function createConnection(socket: WebSocket, raw: Socket, unsent: Ledger<Socket>): Connection {
  const gone = new AbortController()
  setMaxListeners(0, gone.signal) // each run that it follows listens
  const line: QueuedMessage[] = []
  let leaving = 0 // messages that were handed over and have not left yet

  const isOpen = () => socket.readyState === socket.OPEN
  const look = (moved: boolean) => {
    const bytes = isOpen() ? socket.bufferedAmount + (leaving + line.length) * MESSAGE_COST_BYTES : 0
    unsent.note(raw, bytes, moved)
    if (bytes > UNREAD_BYTES) socket.pause()
    else if (socket.isPaused) socket.resume()
  }
  const left = () => {
    leaving--
    look(true)
    next()
  }
  const next = () => {
    while (line.length > 0 && (!isOpen() || (socket.bufferedAmount <= SLOW_READER_BYTES && unsent.hasRoom()))) {
      const { message, binary, resolve } = line.shift()!
      if (message && isOpen()) {
        const data = typeof message === 'function' ? message() : JSON.stringify(message)
        leaving++
        socket.send(data, { binary }, left)
        look(false)
      }
      resolve()
    }
    if (line.length > 0 && !unsent.hasRoom()) unsent.whenRoom(next)
  }
  /** Never rejects. */
  const send = (message: QueuedMessage['message'], binary = false) => {
    const { promise, resolve } = createPromise<void>()
    line.push({ message, binary, resolve })
    next()
    if (line.length > 0) look(false)
    return promise
  }
  socket.on('close', () => {
    gone.abort()
    look(true)
    next()
  })
  socket.on('error', () => socket.terminate())
  const sendError: Connection['sendError'] = (about, error) => void send({ type: 'error', ...about, ...error.toBody() })
  return {
    gone: gone.signal,
    send,
    room: () => send(null),
    sendError,
  }
}
