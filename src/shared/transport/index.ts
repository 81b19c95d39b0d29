/**
 * transport: how Node reaches a service. exchange.ts sends one HTTP request, and pinned.ts connects to a pinned key only. platform.ts
 * provides both as the fetch and WebSocket that the typed client needs. read-events.ts reads the events of a response. heartbeat.ts checks
 * a WebSocket, and messages.ts encodes its messages as bytes. local-proof.ts contains the proof that the command line sends to the service
 * on its own machine.
 */
export { exchange, startRequest, type Target } from './exchange.ts'
export { type LocalProof, PROOF_HEADER, proofFile, readProof, writeProof } from './local-proof.ts'
export { pinnedAgent } from './pinned.ts'
export { pinned, platformOf } from './platform.ts'
export { heartbeat } from './heartbeat.ts'
export { closeReason, createUnpacker, packMessage, sendMessage } from './messages.ts'
export { createEventReader } from './read-events.ts'
