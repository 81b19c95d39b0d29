import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { createPromise } from '../../shared/async/index.ts'
import type { ShellphoneError } from '../../shared/schema/index.ts'
import type { Ledger } from './bounds.ts'
import type { ServerMessage } from './server-messages.ts'

/** A client with more unsent bytes than this is slow: its next message is created only after it has read some. */
const SLOW_READER_BYTES = 32_768
/** The service stops reading from a client with more unsent bytes than this, because every message gets at least one response. */
const UNREAD_BYTES = 1_048_576
/** The memory that an unsent message needs in addition to its bytes. */
const MESSAGE_COST_BYTES = 1024

/** One WebSocket connection: messages out, with flow control; `gone` aborts when it drops. */
export interface Connection {
  readonly gone: AbortSignal
  /**
   * Sends messages in order, when there is room (immediately to a fast client). Resolves when the message has been passed to the socket. Calls a
   * function only when there is room for the text or bytes that it returns. Never rejects.
   */
  send(message: ServerMessage | (() => string | Buffer), binary?: boolean): Promise<void>
  /** Resolves when a new message could be sent immediately. */
  room(): Promise<void>
  /** `about`: the ref or the run id of the faulty message */
  sendError(about: { ref?: string | undefined; id?: string }, error: ShellphoneError): void
}

interface QueuedMessage {
  message: ServerMessage | (() => string | Buffer) | null
  binary: boolean
  resolve(): void
}

export function createConnection(socket: WebSocket, raw: Socket, unsent: Ledger<Socket>): Connection {
  const gone = new AbortController()
  setMaxListeners(0, gone.signal) // each run that the client follows adds a listener
  const queue: QueuedMessage[] = []
  let inFlight = 0 // messages that were passed to the socket but are not sent yet

  const isOpen = () => socket.readyState === socket.OPEN
  const countUnsent = (moved: boolean) => {
    const bytes = isOpen() ? socket.bufferedAmount + (inFlight + queue.length) * MESSAGE_COST_BYTES : 0
    unsent.note(raw, bytes, moved)
    if (bytes > UNREAD_BYTES) socket.pause()
    else if (socket.isPaused) socket.resume()
  }
  const onSent = () => {
    inFlight--
    countUnsent(true)
    next()
  }
  const next = () => {
    while (queue.length > 0 && (!isOpen() || (socket.bufferedAmount <= SLOW_READER_BYTES && unsent.hasRoom()))) {
      const { message, binary, resolve } = queue.shift()!
      if (message && isOpen()) {
        const data = typeof message === 'function' ? message() : JSON.stringify(message)
        inFlight++
        socket.send(data, { binary }, onSent)
        countUnsent(false)
      }
      resolve()
    }
    if (queue.length > 0 && !unsent.hasRoom()) unsent.whenRoom(next)
  }
  /** Never rejects. */
  const send = (message: QueuedMessage['message'], binary = false) => {
    const { promise, resolve } = createPromise<void>()
    queue.push({ message, binary, resolve })
    next()
    if (queue.length > 0) countUnsent(false)
    return promise
  }
  socket.on('close', () => {
    gone.abort()
    countUnsent(true)
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
