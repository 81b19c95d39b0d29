/**
 * http: what every HTTP server here needs, the service's routes and the control plane: the app (typed-app.ts), bodies and their checks
 * (bodies.ts), one shape of errors (error-replies.ts), answers that are written as they come (replies.ts), events (sse.ts), ranges (range.ts),
 * WebSockets (upgrades.ts, socket-gate.ts), requests of one connection in turns (turns.ts), and what is checked first (guard-requests.ts): the
 * Host header (host-header.ts), the token, the pace of wrong ones (throttle.ts), how many strangers wait (pending-clients.ts). It knows no route.
 */
export { Blocks } from './blocks.ts'
export {
  bodiesAsBytes,
  bodyOf,
  bytesAsTheyCome,
  jsonBodies,
  jsonOf,
  jsonWithRef,
  longUpload,
  parseMessage,
  requireCommand,
} from './bodies.ts'
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
export { bearerOf, guardRequests, isOwnOrigin } from './guard-requests.ts'
export { checkHost } from './host-header.ts'
export { loadLate } from './load-late.ts'
export { type UnauthenticatedClient as Guest, PendingClients as Lobby, toOwner } from './pending-clients.ts'
export { type Range, inBytes, rangeIn, rangeOf } from './range.ts'
export { goneSignal, roomIn, startReply } from './replies.ts'
export { AUTH_DEADLINE_MS, AuthMessage, guardSocket, POLICY_VIOLATION } from './socket-gate.ts'
export { eventHeaders, eventText, keepAlive, startEvents } from './sse.ts'
export { type Throttle, createThrottle } from './throttle.ts'
export { takeTurns } from './turns.ts'
export { type App, appOptions } from './typed-app.ts'
export { acceptUpgrades } from './upgrades.ts'
