/**
 * transport: how Node reaches a service: one HTTP request (exchange.ts), connections that a pinned key alone gets (pinned.ts), and both as
 * the fetch and the WebSocket that a program's client wants (platform.ts); the events of an answer, as they come (read-events.ts); and
 * of a WebSocket whether it lives (heartbeat.ts) and its messages as bytes (messages.ts). And what every server here checks first: the Host
 * header (host-header.ts) and the pace of wrong tokens (throttle.ts).
 */
export { exchange, startRequest, type Target } from './exchange.ts'
export { pinnedAgent } from './pinned.ts'
export { type Platform, pinned, platformOf } from './platform.ts'
export { isAllowedHost } from './host-header.ts'
export { heartbeat } from './heartbeat.ts'
export { closeReason, createUnpacker, type Message, packMessage, sendMessage } from './messages.ts'
export { createEventReader } from './read-events.ts'
export { createThrottle, type Throttle } from './throttle.ts'
