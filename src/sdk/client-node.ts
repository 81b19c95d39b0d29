import WebSocket from 'ws'
import { RECONNECT_MS, addressOf } from './connect-runs.ts'
import { copiesBy } from './copies.ts'
import { connect as connectBy, type ConnectOptions, type FileCopies, type Phone, type SocketClass } from './index.ts'
import { pinned as platformOf } from '../shared/transport/index.ts'

export * from './index.ts'

/** The client of a service in Node. */
export interface NodePhone extends Phone {
  readonly files: Phone['files'] & FileCopies
}

/** Connects as in browsers. Adds copies to and from this machine's disk, and a WebSocket for Node 20, which has none. */
export function connect(overrides: ConnectOptions): NodePhone {
  const options = { WebSocket: WebSocket as SocketClass, ...overrides }
  const phone = connectBy(options)
  const copies = copiesBy(addressOf(options), options.reconnectMs ?? RECONNECT_MS)
  return { ...phone, files: { ...phone.files, ...copies } }
}

/** Node only: a fetch and a WebSocket that connect only to the service with this public key (base64url of its SHA-256, as in remotes.json). */
export const pinned = (options: { key: string }): Required<Pick<ConnectOptions, 'fetch' | 'WebSocket'>> =>
  platformOf(options)
