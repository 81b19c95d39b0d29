import type { Executor } from '../exec/index.ts'
import type { Who } from '../../shared/schema/index.ts'
import type { Bounds } from './bounds.ts'
import type { Connection } from './socket-connection.ts'
import type { ConnectionReaders } from './ws-readers.ts'

/** What a message may touch: the executor and its own connection. */
export interface WsSession {
  /** as this connection's token sees it */
  executor: Executor
  who: Who
  connection: Connection
  turn: Bounds['turn']
  readers: ConnectionReaders
  /** how many runs it watches */
  attached: number
  /** of the messages that are being handled */
  heldBytes: number
  /** how the answers that come over it are recorded */
  how: string
  /** how it wants output: as events, or as binary messages, which it may send, too */
  frames: 'text' | 'binary'
}
