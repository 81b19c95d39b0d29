/**
 * transport: how Node reaches a service: one HTTP request (exchange.ts), connections to a pinned key only (pinned.ts), and both as
 * the fetch and WebSocket that the typed client needs (platform.ts); the events of a response as they arrive (read-events.ts);
 * for a WebSocket, a heartbeat (heartbeat.ts) and its messages as bytes (messages.ts); and the proof that the command line shows the service of its own
 * machine (local-proof.ts).
 */
export { exchange, startRequest, type Target } from './exchange.ts'
export { type LocalProof, PROOF_HEADER, proofFile, readProof, writeProof } from './local-proof.ts'
export { pinnedAgent } from './pinned.ts'
export { pinned, platformOf } from './platform.ts'
export { heartbeat } from './heartbeat.ts'
export { closeReason, createUnpacker, packMessage, sendMessage } from './messages.ts'
export { createEventReader } from './read-events.ts'
