/**
 * sdk: the typed client that programs import as `shellphone/client`, in Node and in browsers: the platform's fetch and WebSocket and nothing
 * else. Its types follow from openapi.yaml (openapi.d.ts is written by npm run docs). To add a verb, add it to Phone (phone-client.ts) and
 * to connect.ts.
 */
export { connect } from './connect.ts'
export { PhoneError } from './phone-error.ts'
export type { Asked, ConnectOptions, Files, FileSource, Phone, Run, Watch } from './phone-client.ts'
export { type PairOptions, pair } from './pair.ts'
export type { Socket, SocketClass } from './socket.ts'
export type * from './types.ts'
