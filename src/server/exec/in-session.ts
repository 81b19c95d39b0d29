import { join } from 'node:path'
import type { Outcome } from '../pool/index.ts'
import { changesNoState } from '../policy/index.ts'
import {
  changesOf,
  environmentIn,
  readCaptured,
  type SessionState,
  type SessionTurn,
  stateAfter,
} from '../sessions/index.ts'
import {
  type Decision,
  invalid,
  type NotKept,
  note,
  type Note,
  type SessionRecord,
  ShellphoneError,
} from '../../shared/schema/index.ts'
import type { AnyRequest, Caller, Command, CommandSession } from './command.ts'
import { isRefused } from './environment.ts'
import type { ExecutorParts } from './executor-parts.ts'

/** A record's part about the session, and notes for it. */
export interface SessionResult {
  record: SessionRecord
  notes: Note[]
}

/**
 * Calls `begin` with the request's turn in its session, or with its place in the queue, for which `takeTurn` waits. The turn lasts until the
 * run ends, or until `begin` throws. Throws the errors of `Sessions.enter`.
 */
export async function enterSession<Begun>(
  request: AnyRequest,
  { who, turnPatienceMs }: Pick<Caller, 'who' | 'turnPatienceMs'>,
  { sessions, commandContext }: Pick<ExecutorParts, 'sessions' | 'commandContext'>,
  begin: (joined: AnyRequest) => Promise<Begun>,
): Promise<Begun> {
  const { session, background, tty, lease_seconds } = request
  if (session === undefined) return begin(request)
  if (!commandContext.hasLauncher) {
    throw invalid('session: sessions need the launcher, which does not run here', 'session')
  }
  const turn = sessions.enter(who.id, session, {
    writes: !tty && (!background || lease_seconds !== undefined), // someone follows a run with a lease to its end
    patienceMs: turnPatienceMs ?? null,
  })
  try {
    return await begin(withTurn(request, turn))
  } catch (error) {
    turn.release()
    throw error
  }
}

/** Adds the state of the session to a request. */
export function withTurn(request: AnyRequest, turn: SessionTurn): AnyRequest {
  const cwd = request.working_directory ?? turn.state.cwd
  return { ...request, turn, ...(cwd !== null && { working_directory: cwd }) }
}

/**
 * Resolves the directory with `resolve`. Throws NO_DIRECTORY if the session's directory is missing or has been replaced by a link: the command
 * never runs in another directory than the one in which its session is.
 */
export function sessionDirectory({ turn, working_directory }: AnyRequest, resolve: () => string): string {
  const own = turn?.state.cwd
  if (own === undefined || own === null || working_directory !== own) return resolve()
  try {
    const real = resolve()
    if (real === own) return real
    throw new ShellphoneError('NO_DIRECTORY', `Working directory was replaced by a link to ${real}: ${own}`, {
      about: own,
    })
  } catch (error) {
    if (!(error instanceof ShellphoneError)) throw error
    const hint = `the session ${turn!.name} is there; send another working_directory, or delete the session`
    throw new ShellphoneError(error.code, `${error.message}; ${hint}`, { field: 'session', about: own })
  }
}

/** The variables of a command in a session: `env` is its environment, `additions` what is judged, `unset` what is missing from the base. */
export function sessionVariables(request: AnyRequest, base: Record<string, string>) {
  const { turn, env: own, command } = request
  if (turn === undefined) {
    return { env: own ? { ...base, ...own } : base, additions: own ?? null, unset: [], session: null }
  }
  const { set, unset } = turn.state
  const env = { ...environmentIn(turn.state, base), ...own }
  const additions = { ...set, ...own }
  const names = Object.keys(set).filter((name) => !own || !Object.hasOwn(own, name))
  const captures = turn.writes && !changesNoState(command)
  const session: CommandSession = { request, turn, base, names, captures }
  return {
    env,
    additions: Object.keys(additions).length === 0 ? null : additions,
    unset: unset.filter((name) => !(name in env)),
    session,
  }
}

/** What a command that begins says about its session: that it waits for its turn, or has lost values. */
export function sessionNotes({ turn }: AnyRequest): Note[] {
  if (turn?.wait) return [note('WAITS_FOR_SESSION', turn.name, turn.wait.run)]
  return turn && turn.lost.length > 0 ? [note('SESSION_LOST', turn.name, [...turn.lost])] : []
}

/** Stores the state after a command, if its shell itself has ended. Returns what the record says about it. */
export function keepState(
  command: Command,
  session: CommandSession,
  { decision, outcome }: { decision: Decision; outcome: Outcome },
  id: string,
  parts: ExecutorParts,
): SessionResult {
  const { turn, base } = session
  const { name } = turn
  if (decision.verdict === 'allow') turn.allow(command.additions ?? {})
  const kept = afterwards(command, session, outcome, join(parts.temporaryFolder, id))
  if (typeof kept === 'string') return unkept(session, kept, parts)
  if (!turn.store(kept.state)) return unkept(session, 'deleted', parts)
  const before = environmentIn(turn.state, base)
  const changes = changesOf(before, environmentIn(kept.state, base))
  const notes = kept.dropped.length > 0 ? [note('SESSION_DROPPED', name, kept.dropped)] : []
  return { record: { name, cwd: kept.state.cwd!, ...changes, kept: true, reason: null }, notes }
}

function afterwards(
  command: Command,
  { turn, base, captures }: CommandSession,
  { ending, exitCode, state }: Outcome,
  temporary: string,
): { state: SessionState; dropped: string[] } | NotKept {
  if (!turn.writes) return 'background'
  if ((ending !== 'completed' && ending !== 'failed') || exitCode === null) return 'stopped'
  const { env, cwd } = command
  if (captures && state === undefined) return 'not_captured'
  const captured = captures ? readCaptured(state!) : { cwd, env, dropped: [] }
  if (typeof captured === 'string') return captured
  const given = command.sandbox.name === 'workspace-write' ? { ...env, TMPDIR: temporary } : env
  return stateAfter(captured, { base, env, given, refuses: isRefused })
}

const sentences: Partial<Record<NotKept, string>> = {
  not_captured: 'the shell did not report its state (exec, or an EXIT trap of its own)',
  too_large: 'the state is larger than 262144 bytes, or a value than 131000',
  not_utf8: 'the name of the directory is not UTF-8',
  deleted: 'it was deleted during the command',
}

/** The record of a command that has not changed its session. */
function unkept(
  { turn }: CommandSession,
  reason: NotKept,
  { commandContext }: Pick<ExecutorParts, 'commandContext'>,
): SessionResult {
  const cwd = turn.state.cwd ?? commandContext.settings.working_directory
  const sentence = sentences[reason]
  const notes = sentence === undefined ? [] : [note('SESSION_NOT_KEPT', turn.name, sentence)]
  return { record: { name: turn.name, cwd, set: [], unset: [], kept: false, reason }, notes }
}

/** The record of a command that has not ended. */
export const unfinished = ({ cwd }: Command, { turn }: CommandSession): SessionRecord => ({
  name: turn.name,
  cwd: turn.state.cwd ?? cwd,
  set: [],
  unset: [],
  kept: false,
  reason: 'unfinished',
})
