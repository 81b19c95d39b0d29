import type { Settings } from '../config/index.ts'
import { type ExecRequest, type Finding, invalid } from '../../shared/schema/index.ts'

/** The default time limit of a terminal: one year. Usually the terminal ends earlier, with its shell or at the idle timeout. */
export const TERMINAL_SECONDS = 31_536_000

/** Throws VALIDATION_ERROR if the request contains stdin as a string, because a person types the input of a terminal. */
export function checkTyped({ stdin = 'open' }: ExecRequest): void {
  if (stdin === 'open') return
  throw invalid('stdin: expected "open" or no value together with tty, got a string', 'stdin')
}

/** Returns the environment of a terminal, in which programs may wait for input because a person uses it. */
export function terminalEnvironment(env: Record<string, string>): Record<string, string> {
  const { PAGER: _pager, GIT_TERMINAL_PROMPT: _prompt, DEBIAN_FRONTEND: _frontend, ...rest } = env
  return { ...rest, TERM: 'xterm-256color', COLORTERM: 'truecolor' }
}

/** Returns the finding for opening a terminal, regardless of the command. */
export function openingFinding(terminal: Settings['terminal']): Finding {
  const verdict = ({ off: 'deny', ask: 'ask', on: 'allow' } as const)[terminal]
  const reason = reasons[terminal]
  return { guard: 'terminal', verdict, risk: 'high', rule: reason && 'terminal', command: null, reason }
}

const reasons = {
  off: 'Terminals are disabled (setting terminal).',
  ask: 'This would open a terminal. The service cannot judge beforehand what is typed there.',
  on: null,
}
