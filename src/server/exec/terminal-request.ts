import type { Settings } from '../config/index.ts'
import { type ExecRequest, type Finding, invalid } from '../../shared/schema/index.ts'

/** The default time limit of a terminal. Usually its shell ends it, or the idle timeout. */
export const TERMINAL_SECONDS = 31_536_000

/** The input of a terminal is typed while it runs. Throws VALIDATION_ERROR for a string. */
export function checkTyped({ stdin = 'open' }: ExecRequest): void {
  if (stdin === 'open') return
  throw invalid('stdin: expected "open" or nothing together with tty, got a string', 'stdin')
}

/** The environment of a terminal, which a person uses: without the variables that keep programs from waiting for input. */
export function terminalEnvironment(env: Record<string, string>): Record<string, string> {
  const { PAGER: _pager, GIT_TERMINAL_PROMPT: _prompt, DEBIAN_FRONTEND: _frontend, ...rest } = env
  return { ...rest, TERM: 'xterm-256color', COLORTERM: 'truecolor' }
}

/** The finding for opening a terminal, whatever the command is. */
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
