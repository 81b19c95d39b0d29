/**
 * http: what the HTTP servers (the service and the control plane) need: the app (typed-app.ts), bodies and their validation
 * (bodies.ts), one error format (error-replies.ts, error-responses.ts), streamed responses (replies.ts), events (sse.ts), ranges (range.ts),
 * WebSockets (upgrades.ts, socket-gate.ts), one request of a connection at a time (turns.ts), and the checks that come first
 * (guard-requests.ts): the Host header (host-header.ts), the token, the rate of wrong tokens (throttle.ts) and the number of
 * unauthenticated clients (pending-clients.ts). It contains no routes.
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
export { badUrl, errorReplies, drainBody, toClientError, toShellphoneError, unauthorized } from './error-replies.ts'
export {
  type CommonStatus,
  commonErrors,
  ErrorBody,
  errorResponses,
  forbidden,
  FOREIGN,
  type OwnErrors,
} from './error-responses.ts'
export { bearerOf, guardRequests, isOwnOrigin } from './guard-requests.ts'
export { checkHost } from './host-header.ts'
export { loadLate } from './load-late.ts'
export { type UnauthenticatedClient, PendingClients, toOwner } from './pending-clients.ts'
export { type Range, inBytes, rangeIn, rangeOf } from './range.ts'
export { disconnectSignal, untilWritable, startReply } from './replies.ts'
export { AUTH_DEADLINE_MS, AuthMessage, guardSocket, POLICY_VIOLATION } from './socket-gate.ts'
export { eventHeaders, eventText, keepAlive, startEvents } from './sse.ts'
export { type Throttle, createThrottle } from './throttle.ts'
export { takeTurns } from './turns.ts'
export { type App, appOptions } from './typed-app.ts'
export { acceptUpgrades } from './upgrades.ts'
