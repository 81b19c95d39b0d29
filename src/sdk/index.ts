/**
 * sdk: the typed client that programs import as `shellphone/client`, in Node and in browsers. It needs only the platform's fetch and
 * WebSocket. The entry point for Node is client-node.ts, which adds copies to and from the local disk (copies.ts). The types come from
 * openapi.yaml (npm run docs writes openapi.d.ts). To add a method, add it to RunPhone (phone-client.ts) and to connect-runs.ts.
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
