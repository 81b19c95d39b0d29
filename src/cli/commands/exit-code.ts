import { constants } from 'node:os'
import type { RunRecord } from '../../sdk/index.ts'

/** What `shellphone run` ends with where the command gave no code of its own. */
export const exitCodes = { timedOut: 124, denied: 126, brokenPipe: 141, ownTrouble: 255 }

/** 128 and the signal's number, as a shell says it. */
export const codeOfSignal = (signal: string): number => 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)

/** The exit code of a run that has ended: the command's own, as if it had run here. `canceledBy`: the signal for which we canceled it. */
export function exitCodeOf({ status, exit_code, signal }: RunRecord, canceledBy: NodeJS.Signals = 'SIGTERM'): number {
  if (status === 'denied') return exitCodes.denied
  if (status === 'timed_out') return exitCodes.timedOut
  if (status === 'canceled') return codeOfSignal(canceledBy)
  if (signal !== null) return codeOfSignal(signal)
  return exit_code >= 0 ? exit_code : exitCodes.ownTrouble
}
