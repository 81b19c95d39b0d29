import { isEnding } from '../../shared/schema/index.ts'
import type { ExecutorParts } from './executor-parts.ts'
import { withTurn } from './in-session.ts'
import { inSession } from './record.ts'
import type { Run } from './run.ts'
import { toCommand, unreachableError } from './to-command.ts'

/**
 * Waits until it is the turn of a run in its session, and replaces its command by the one with the state of the session. If the run is
 * canceled first, its command stays as it is. Throws POOL_FULL after the patience of its caller, and the errors of `toCommand`.
 */
export async function takeTurn(run: Run, parts: ExecutorParts): Promise<void> {
  const { session } = run.command
  if (!session?.turn.wait) return
  const turn = await session.turn.wait.turn(run.canceled)
  if (turn === null) return
  try {
    turn.began(run.id)
    const request = withTurn(session.request, turn)
    const refusal = await unreachableError(request, parts)
    if (refusal) throw refusal
    const command = toCommand(request, parts.commandContext)
    run.replaceCommand(command, inSession(command))
  } catch (error) {
    turn.release()
    throw error
  }
}

/** Resolves when `takeTurn` has ended. Throws its error. */
export async function turnTaken(run: Run): Promise<void> {
  while (run.command.session?.turn.wait && !isEnding(run.status)) await run.changed()
  if (run.status === 'failed') await run.finished
}
