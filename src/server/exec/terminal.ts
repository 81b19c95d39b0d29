import { note, sharerOf, ShellphoneError, type Who } from '../../shared/schema/index.ts'
import { awakeClock, type Timer } from '../../shared/async/index.ts'
import type { Terminals } from './executor-parts.ts'
import type { Run } from './run.ts'

/** Throws if the token cannot open a terminal: FORBIDDEN, TERMINAL_UNAVAILABLE (on this system) or POOL_FULL (temporarily). */
export function checkTerminal(who: Who, { missing, pool, limit }: Terminals): void {
  if (!who.shell) throw forbidden(`The token ${who.name} may not open a terminal: it lacks the right shell`)
  if (missing !== null) throw new ShellphoneError('TERMINAL_UNAVAILABLE', `tty: ${missing}`, { field: 'tty' })
  if (pool.isFreeFor(sharerOf(who))) return
  const { running } = pool.stats()
  const whose = running < limit ? `, and the last of ${limit} is reserved for another token` : ''
  throw new ShellphoneError('POOL_FULL', `${running} terminals are already open${whose}`, { retryAfterSeconds: 60 })
}

/**
 * Throws FORBIDDEN unless the caller may feed, resize and signal a run. Only people and the run's creator may, because no guard judges what
 * is typed into a shell. For a terminal, both also need the right `shell`.
 */
export function checkControl({ id, command, who: owner }: Run, who: Who): void {
  const isIts = who.id === owner.id || who.approves === 'all'
  if (isIts && (command.tty === null || who.shell)) return
  throw forbidden(`The token ${who.name} may not use the ${command.tty === null ? 'stdin' : 'terminal'} of run ${id}`)
}

const forbidden = (message: string) => new ShellphoneError('FORBIDDEN', message)

/** Ends a run that nobody has read for `idleMs`. Call the returned function when the run has ended. */
export function endWhenIdle(run: Run, idleMs: number): () => void {
  let timer: Timer | undefined
  const look = () => {
    const leftMs = idleMs - run.output.idleMs()
    if (leftMs <= 0) run.cancel(note('TERMINAL_NOT_READ', idleMs / 1000))
    else timer = awakeClock.startTimer(look, leftMs).unref()
  }
  look()
  return () => timer?.stop()
}
