/**
 * transport: how Node reaches a service: one HTTP request (exchange.ts), connections that a pinned key alone gets (pinned.ts), and both as
 * the fetch and the WebSocket that a program's client wants (platform.ts); the events of an answer, as they come (read-events.ts); and
 * of a WebSocket whether it lives (heartbeat.ts) and its messages as bytes (messages.ts); what a command line shows the service of its own
 * machine (local-proof.ts).
 */
export { exchange, startRequest, type Target } from './exchange.ts'
export { type LocalProof, PROOF_HEADER, proofFile, readProof, writeProof } from './local-proof.ts'
export { pinnedAgent } from './pinned.ts'
export { pinned, platformOf } from './platform.ts'
export { heartbeat } from './heartbeat.ts'
export { closeReason, createUnpacker, packMessage, sendMessage } from './messages.ts'
export { createEventReader } from './read-events.ts'
