/**
 * sessions: what a command passes on to the next one of its session: its directory and its exported variables, as data. It runs nothing; exec
 * captures the state, judges it and hands it to the next command. README.md explains the terms and the limits.
 *
 *     sessions-verbs.ts     the interface for exec and routes
 *     create-sessions.ts    the sessions of all tokens: turns, limits, expiry
 *     order.ts              one command at a time
 *     session-state.ts      the state: decoding, differences, limits
 *     session-files.ts      a file for each session
 */
export { createSessions } from './create-sessions.ts'
export { changesOf, environmentIn, readCaptured, type SessionState, stateAfter } from './session-state.ts'
export type { OwnedSession, Sessions, SessionTurn } from './sessions-verbs.ts'
