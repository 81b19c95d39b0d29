import { constants } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Child, invalid, ShellphoneError, type WindowSize } from '../../shared/schema/index.ts'
import type { OpenStdin, PieceOptions } from './open-stdin.ts'
import type { Run } from './run.ts'

/** A piece of stdin as text. */
interface StdinPiece extends PieceOptions {
  data?: string | undefined
  /** the encoding of `data` (default: utf8) */
  encoding?: 'utf8' | 'base64' | undefined
}

/** Writes to stdin. Resolves with the total number of bytes that the command's pipe has taken. Throws CONFLICT if stdin is not open. */
export function feedStdin(run: Run, { data = '', encoding = 'utf8', ...where }: StdinPiece): Promise<number> {
  return stdinOf(run).take(Buffer.from(data, encoding), where)
}

/** Returns the open stdin of a run. Throws CONFLICT unless the request asked for it. */
export function stdinOf({ id, stdin }: Run): OpenStdin {
  if (stdin) return stdin
  throw new ShellphoneError('CONFLICT', `Run ${id} was not started with "stdin": "open"`)
}

/**
 * Sends a signal by name, such as SIGINT or int, to the process group. Throws VALIDATION_ERROR for a name that is not in signal(7), and
 * CONFLICT if the run has no process.
 */
export async function sendSignal(run: Run, signal: string): Promise<void> {
  const wanted = signal.toUpperCase()
  const name = wanted.startsWith('SIG') ? wanted : `SIG${wanted}`
  if (!Object.hasOwn(constants.signals, name)) {
    throw invalid(`signal: expected a name like SIGINT, got ${JSON.stringify(signal.slice(0, 40))}`, 'signal')
  }
  const child = await shellOf(run)
  if (!child.signal(name as NodeJS.Signals)) {
    throw new ShellphoneError('CONFLICT', `Run ${run.id} has no process left to signal`)
  }
}

/** Resizes the terminal of a run. Throws CONFLICT if the run has no terminal, has not started or has ended. */
export async function resizeTerminal(run: Run, { rows, columns }: WindowSize): Promise<void> {
  if (run.command.tty === null) throw new ShellphoneError('CONFLICT', `Run ${run.id} was not started with "tty"`)
  const child = await shellOf(run)
  if (!child.resize({ rows, columns })) {
    throw new ShellphoneError('CONFLICT', `Run ${run.id} has no process left in its terminal`)
  }
  run.resized({ rows, columns })
}

/** Throws CONFLICT if the run waits for approval or for a slot, which may take minutes: what is sent now could come too late. */
export async function checkStarted(run: Run): Promise<void> {
  await run.begun // earlier, it is not even judged
  await nextTurn() // a free slot is taken within one turn of the event loop
  const { id, status, waitsFor } = run
  if (status !== 'queued') return
  const awaited = waitsFor === null ? 'a slot' : `the approval ${waitsFor.id}`
  throw new ShellphoneError(
    'CONFLICT',
    `Run ${id} has not started; it waits for ${awaited}. Try again when it is running`,
  )
}

/** Resolves with the shell of a run. Throws CONFLICT if the run has not started or has ended. */
async function shellOf(run: Run): Promise<Child> {
  await checkStarted(run)
  return run.started()
}
