/**
 * http: what every HTTP server here needs, the service's routes and the control plane: bodies and their checks (bodies.ts), one shape of errors
 * (error-replies.ts), ranges (range.ts), events (sse.ts), requests of one connection in turns (turns.ts), and what is checked first: the Host
 * header (host-header.ts), the pace of wrong tokens (throttle.ts), how many strangers wait (lobby.ts). It knows no route.
 */
export { Blocks } from './blocks.ts'
export { bytesAsTheyCome, jsonBodies, jsonOf, jsonWithRef, longUpload, parseMessage, requireCommand } from './bodies.ts'
export {
  ErrorBody,
  badUrl,
  errorReplies,
  errorResponses,
  swallow,
  toClientError,
  toShellphoneError,
  unauthorized,
} from './error-replies.ts'
export { isAllowedHost } from './host-header.ts'
export { loadLate } from './load-late.ts'
export { type Guest, Lobby, toOwner } from './lobby.ts'
export { type Range, inBytes, rangeIn, rangeOf } from './range.ts'
export { goneSignal, startEvents } from './sse.ts'
export { type Throttle, createThrottle } from './throttle.ts'
export { takeTurns } from './turns.ts'
