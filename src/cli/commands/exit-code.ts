import { constants } from 'node:os'
import type { RunRecord } from '../../sdk/index.ts'

/** The exit codes of `shellphone run` when the command returned none. */
export const exitCodes = { timedOut: 124, denied: 126, ownError: 255 }

/** The exit code of a subcommand that did not do what it was asked to do, although nothing refused it. */
export const NOT_DONE = 1

/** 128 + the number of the signal, as in a shell. */
export const codeOfSignal = (signal: string): number => 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)

/** The exit code for a run that has ended: the command's own, as if it had run here. `canceledBy`: the signal that made this client cancel the run. */
export function exitCodeOf({ status, exit_code, signal }: RunRecord, canceledBy: NodeJS.Signals = 'SIGTERM'): number {
  if (status === 'denied') return exitCodes.denied
  if (status === 'timed_out') return exitCodes.timedOut
  if (status === 'canceled') return codeOfSignal(canceledBy)
  if (signal !== null) return codeOfSignal(signal)
  return exit_code >= 0 ? exit_code : exitCodes.ownError
}
