import type { Executor } from '../exec/index.ts'
import type { Who } from '../../shared/schema/index.ts'
import type { Bounds } from './bounds.ts'
import type { Deliveries } from './deliveries.ts'
import type { Connection } from './socket-connection.ts'
import type { ConnectionReaders } from './ws-readers.ts'

/** Everything that the handler of a message may use. */
export interface WsSession {
  /** limited to the runs that this connection's token can read */
  executor: Executor
  who: Who
  connection: Connection
  turn: Bounds['turn']
  readers: ConnectionReaders
  /** of all connections */
  deliveries: Deliveries
  /** how many runs the client follows by `attach` */
  attached: number
  /** total size of the messages that are being handled */
  heldBytes: number
  /** how approval answers over this connection are recorded */
  how: string
  /** the address of the client */
  from: string
  /** text: output is sent as events; binary: output is sent as binary messages, and the client may send them too */
  frames: 'text' | 'binary'
}
