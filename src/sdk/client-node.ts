import WebSocket from 'ws'
import { connect as connectBy, type ConnectOptions, type Phone, type SocketClass } from './index.ts'
import { pinned as platformOf } from '../shared/transport/index.ts'

export * from './index.ts'

/** As in browsers, with a WebSocket where Node has none of its own (20). */
export const connect = (options: ConnectOptions): Phone =>
  connectBy({ WebSocket: WebSocket as SocketClass, ...options })

/** Node alone: a fetch and a WebSocket for the service with this public key (base64url of its SHA-256, as remotes.json has it), and no other. */
export const pinned = (options: { key: string }): Required<Pick<ConnectOptions, 'fetch' | 'WebSocket'>> =>
  platformOf(options)
