import WebSocket from 'ws'
import { RECONNECT_MS, addressOf } from './connect-runs.ts'
import { copiesBy } from './copies.ts'
import { connect as connectBy, type ConnectOptions, type FileCopies, type Phone, type SocketClass } from './index.ts'
import { pinned as platformOf } from '../shared/transport/index.ts'

export * from './index.ts'

/** A service, as a program in Node sees it. */
export interface NodePhone extends Phone {
  readonly files: Phone['files'] & FileCopies
}

/** As in browsers, with copies to and from this machine's disk, and a WebSocket where Node has none of its own (20). */
export function connect(overrides: ConnectOptions): NodePhone {
  const options = { WebSocket: WebSocket as SocketClass, ...overrides }
  const phone = connectBy(options)
  const copies = copiesBy(addressOf(options), options.reconnectMs ?? RECONNECT_MS)
  return { ...phone, files: { ...phone.files, ...copies } }
}

/** Node alone: a fetch and a WebSocket for the service with this public key (base64url of its SHA-256, as remotes.json has it), and no other. */
export const pinned = (options: { key: string }): Required<Pick<ConnectOptions, 'fetch' | 'WebSocket'>> =>
  platformOf(options)
