import type { SessionInfo } from '../../shared/schema/index.ts'
import type { SessionState } from './session-state.ts'

/** A command's use of its session. */
export interface SessionTurn {
  readonly name: string
  readonly state: SessionState
  /** the names in `state.set` whose values are known: allowed or approved once before */
  readonly known: readonly string[]
  /** names of variables that a restart has lost, because they are not written to disk */
  readonly lost: readonly string[]
  /** false: the command only reads the state, because it runs in a terminal, or in the background without a lease */
  readonly writes: boolean
  /** null: it is this command's turn. Otherwise `state` is empty, because the commands before it can still change it. */
  readonly wait: TurnWait | null
  /** Remembers that the command, with these variables added, was allowed. */
  allow(additions: Record<string, string>): void
  /** Names the run of the command, for the notes and errors of those that wait for it. */
  began(run: string): void
  /** Stores the state after the command; false: the session was deleted in the meantime. */
  store(state: SessionState): boolean
  /** Lets the next command of the session begin, or leaves the queue. */
  release(): void
}

/** The wait of a command for its turn. */
interface TurnWait {
  /** the run that has the turn; null: it has not begun yet */
  readonly run: string | null
  /**
   * Resolves with the turn of the command; null: `canceled` aborted first. Throws POOL_FULL after the command's patience, and the errors of
   * `Sessions.enter` if the session was deleted and cannot be created again.
   */
  turn(canceled: AbortSignal): Promise<SessionTurn | null>
}

/** How a command uses its session. `patienceMs`: how long it waits for its turn; null: without a limit. */
export interface SessionUse {
  writes: boolean
  patienceMs: number | null
}

/** A session, with the id of its token instead of the name. */
export interface OwnedSession extends Omit<SessionInfo, 'token'> {
  tokenId: string
}

export interface Sessions {
  /**
   * Returns this command's turn, or its place in the queue (`wait`). Throws VALIDATION_ERROR for an invalid name, CONFLICT if there are too
   * many sessions, and POOL_FULL if too many commands wait.
   */
  enter(token: string, name: string, use: SessionUse): SessionTurn
  /** Returns a turn that reads the state now, and stores nothing. */
  peek(token: string, name: string): SessionTurn
  /** The sessions of a token, or with null those of all tokens, by name, including those whose first command runs. */
  list(token: string | null): OwnedSession[]
  /** Returns one session; throws NOT_FOUND. */
  find(token: string, name: string): OwnedSession
  /** Deletes a session; throws NOT_FOUND. */
  remove(token: string, name: string): void
  /** Deletes the sessions of all tokens for which `isValid` returns false. */
  retain(isValid: (token: string) => boolean): void
  /** Stops the timer. */
  close(): void
}
