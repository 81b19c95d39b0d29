import type { Settings } from '../config/index.ts'
import { type ExecRequest, type Finding, ShellphoneError, type Who, type WindowSize } from '../schema/index.ts'
import type { ExecutorParts } from './parts.ts'
import type { Run } from './run.ts'

/** What a command in a terminal may take, where its request does not say: what ends it is its shell, or that nobody reads it. */
export const TERMINAL_SECONDS = 31_536_000

/** The terminal that a request asks for; null: none. What is fed to it is typed while it runs. Throws VALIDATION_ERROR. */
export function terminalOf({ tty, stdin = 'open' }: ExecRequest): WindowSize | null {
  if (tty === undefined || stdin === 'open') return tty ?? null
  throw new ShellphoneError('VALIDATION_ERROR', 'stdin: expected "open" or nothing beside tty, got a text', {
    field: 'stdin',
  })
}

/** The environment of a command in a terminal, before which a person sits: without what keeps programs from waiting for one. */
export function terminalEnvironment(env: Record<string, string>): Record<string, string> {
  const { PAGER: _pager, GIT_TERMINAL_PROMPT: _prompt, DEBIAN_FRONTEND: _frontend, ...rest } = env
  return { ...rest, TERM: 'xterm-256color', COLORTERM: 'truecolor' }
}

/** What is said of opening one, whatever the command is. */
export function openingFinding(terminal: Settings['terminal']): Finding {
  const verdict = ({ off: 'deny', ask: 'ask', on: 'allow' } as const)[terminal]
  const reason = reasons[terminal]
  return { guard: 'terminal', verdict, risk: 'high', rule: reason && 'terminal', command: null, reason }
}

const reasons = {
  off: 'terminals are switched off (setting terminal)',
  ask: 'it opens a terminal, and what is typed there cannot be judged beforehand',
  on: null,
}

/** Throws where there can be no terminal: FORBIDDEN for this token, TERMINAL_UNAVAILABLE here, POOL_FULL for now. */
export function checkTerminal({ who }: Run, { terminals }: ExecutorParts): void {
  if (!who.shell) throw forbidden(`The token ${who.name} may not open a terminal (its right shell)`)
  const { missing, pool, limit } = terminals
  if (missing !== null) throw new ShellphoneError('TERMINAL_UNAVAILABLE', `tty: ${missing}`, { field: 'tty' })
  if (pool.stats().running < limit) return
  throw new ShellphoneError('POOL_FULL', `${limit} terminals are open already`, { retryAfterSeconds: 60 })
}

/** Typing, sizing and signals are for whoever opened a terminal, and for people; both need the right. Throws FORBIDDEN. */
export function checkHand({ id, command, who: owner }: Run, who: Who): void {
  if (command.tty === null || (who.shell && (who.name === owner.name || who.approves === 'all'))) return
  throw forbidden(`The token ${who.name} may not use the terminal of run ${id}`)
}

const forbidden = (message: string) => new ShellphoneError('FORBIDDEN', message)

/** Ends a run that nobody has read for so long; call what comes back when it is over. */
export function endWhenIdle(run: Run, idleMs: number): () => void {
  let timer: NodeJS.Timeout
  const look = () => {
    const leftMs = idleMs - run.output.idleMs()
    if (leftMs <= 0) run.cancel(`nobody has read its terminal for ${idleMs / 1000} s`)
    else timer = setTimeout(look, leftMs).unref()
  }
  look()
  return () => clearTimeout(timer)
}
