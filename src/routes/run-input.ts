import { constants } from 'node:os'
import { type Static, Type } from '@sinclair/typebox'
import type { OpenStdin, Run } from '../exec/index.ts'
import { invalid, ShellphoneError, type WindowSize } from '../schema/index.ts'

export const CANCELED = 'canceled by the client'

/** For a run that was started with `"stdin": "open"`. `end` closes it after the data; `offset` is that of its first byte, default behind all that came. */
export const StdinInput = Type.Object(
  {
    data: Type.Optional(Type.String()),
    encoding: Type.Optional(Type.Union([Type.Literal('utf8'), Type.Literal('base64')])),
    end: Type.Optional(Type.Boolean()),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes; default behind all that came' })),
  },
  { additionalProperties: false },
)
export type StdinInput = Static<typeof StdinInput>

export const SignalInput = Type.Object(
  { signal: Type.String({ description: 'A name of signal(7), as SIGINT or INT' }) },
  { additionalProperties: false },
)
export type SignalInput = Static<typeof SignalInput>

/** Resolves when the command's pipe has taken the data, with how much it has in all. CONFLICT where stdin is not open. */
export function feedStdin(run: Run, { data = '', encoding = 'utf8', ...where }: StdinInput): Promise<number> {
  return stdinOf(run).take(Buffer.from(data, encoding), where)
}

/** Throws CONFLICT where it was not asked for. */
export function stdinOf({ id, stdin }: Run): OpenStdin {
  if (stdin) return stdin
  throw new ShellphoneError('CONFLICT', `Run ${id} was not started with "stdin": "open"`)
}

/** Sends a named signal to the process group. VALIDATION_ERROR for a name that signal(7) does not know. */
export async function sendSignal(run: Run, input: SignalInput): Promise<void> {
  const wanted = input.signal.toUpperCase()
  const name = wanted.startsWith('SIG') ? wanted : `SIG${wanted}`
  if (!Object.hasOwn(constants.signals, name)) {
    const got = JSON.stringify(input.signal.slice(0, 40))
    throw invalid(`signal: expected a name like SIGINT, got ${got}`, 'signal')
  }
  const child = await run.started()
  if (!child.signal(name as NodeJS.Signals)) {
    throw new ShellphoneError('CONFLICT', `Run ${run.id} has no process left to signal`)
  }
}

/** The terminal of a run has this size from now on. CONFLICT where it has none, or has ended. */
export async function resizeTerminal(run: Run, { rows, columns }: WindowSize): Promise<void> {
  if (run.command.tty === null) throw new ShellphoneError('CONFLICT', `Run ${run.id} was not started with "tty"`)
  const child = await run.started()
  if (!child.resize({ rows, columns })) {
    throw new ShellphoneError('CONFLICT', `Run ${run.id} has no process left in its terminal`)
  }
}
