import { constants } from 'node:os'
import type { RunRecord } from '../../sdk/index.ts'

/** The exit codes of `shellphone run` when the command returned none. */
export const exitCodes = { timedOut: 124, denied: 126, ownError: 255 }

/** The exit code of a subcommand that did not do what it was asked to do, although nothing refused it. */
export const NOT_DONE = 1

/** 128 + the number of the signal, as in a shell. */
export const codeOfSignal = (signal: string): number => 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)

/** The signal that an ended run stands for, null without one. `canceledBy`: the signal that made this client cancel the run. */
export function signalOf({ status, signal }: RunRecord, canceledBy: NodeJS.Signals = 'SIGTERM'): string | null {
  if (status === 'denied' || status === 'timed_out') return null
  return status === 'canceled' ? canceledBy : signal
}

/** The exit code for a run that has ended: the command's own, as if it had run here. `canceledBy`: as for `signalOf`. */
export function exitCodeOf(record: RunRecord, canceledBy?: NodeJS.Signals): number {
  const { status, exit_code } = record
  if (status === 'denied') return exitCodes.denied
  if (status === 'timed_out') return exitCodes.timedOut
  const signal = signalOf(record, canceledBy)
  if (signal !== null) return codeOfSignal(signal)
  return exit_code >= 0 ? exit_code : exitCodes.ownError
}
