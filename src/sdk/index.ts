/**
 * sdk: the typed client that programs import as `shellphone/client`, in Node and in browsers: the platform's fetch and WebSocket and nothing
 * else. Node enters by client-node.ts, which adds the copies to and from its own disk (copies.ts). Its types follow from openapi.yaml
 * (openapi.d.ts is written by npm run docs). To add a verb, add it to Phone (phone-client.ts) and to connect.ts.
 */
export { connect } from './connect.ts'
export { connectRuns } from './connect-runs.ts'
export { PhoneError } from './phone-error.ts'
export type {
  Archives,
  RequestOptions,
  ConnectOptions,
  CopyProgress,
  FileCopies,
  Files,
  FileSource,
  Phone,
  Run,
  RunPhone,
  Watch,
} from './phone-client.ts'
export { type PairOptions, pair } from './pair.ts'
export type { Socket, SocketClass } from './socket.ts'
export type * from './types.ts'
