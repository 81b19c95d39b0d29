import { constants } from 'node:os'
import { type Static, Type } from '@sinclair/typebox'
import type { Run } from '../exec/index.ts'
import { ShellphoneError, type WindowSize } from '../schema/index.ts'

export const CANCELED = 'canceled by the client'

/** For a run that was started with `"stdin": "open"`. `end` closes it after the data. */
export const StdinInput = Type.Object(
  {
    data: Type.Optional(Type.String()),
    encoding: Type.Optional(Type.Union([Type.Literal('utf8'), Type.Literal('base64')])),
    end: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type StdinInput = Static<typeof StdinInput>

export const SignalInput = Type.Object(
  { signal: Type.String({ description: 'A name of signal(7), as SIGINT or INT' }) },
  { additionalProperties: false },
)
export type SignalInput = Static<typeof SignalInput>

/** Resolves when the command's pipe has taken the data; the caller waits, and so memory stays bounded. CONFLICT where stdin is not open. */
export async function feedStdin(run: Run, { data = '', encoding = 'utf8', end }: StdinInput): Promise<void> {
  if (run.command.stdin !== 'open') {
    throw new ShellphoneError('CONFLICT', `Run ${run.id} was not started with "stdin": "open"`)
  }
  const isTaken = await offer(run, Buffer.from(data, encoding))
  if (end) run.child?.endStdin()
  if (!isTaken) throw new ShellphoneError('CONFLICT', `Run ${run.id} no longer reads its stdin`)
}

/** Sends a named signal to the process group. VALIDATION_ERROR for a name that signal(7) does not know. */
export async function sendSignal(run: Run, input: SignalInput): Promise<void> {
  const wanted = input.signal.toUpperCase()
  const name = wanted.startsWith('SIG') ? wanted : `SIG${wanted}`
  if (!Object.hasOwn(constants.signals, name)) {
    throw new ShellphoneError(
      'VALIDATION_ERROR',
      `signal: expected a name like SIGINT, got ${JSON.stringify(input.signal.slice(0, 40))}`,
      { field: 'signal' },
    )
  }
  const child = await startedChild(run)
  if (!child.signal(name as NodeJS.Signals)) {
    throw new ShellphoneError('CONFLICT', `Run ${run.id} has no process left to signal`)
  }
}

/** The terminal of a run has this size from now on. CONFLICT where it has none, or has ended. */
export async function resizeTerminal(run: Run, { rows, columns }: WindowSize): Promise<void> {
  if (run.command.tty === null) throw new ShellphoneError('CONFLICT', `Run ${run.id} was not started with "tty"`)
  const child = await startedChild(run)
  if (!child.resize({ rows, columns })) {
    throw new ShellphoneError('CONFLICT', `Run ${run.id} has no process left in its terminal`)
  }
}

/** What waits for commands to read it; more than this is refused, so that a reader that does not read costs bounded memory. */
const MAX_WAITING_BYTES = 1_048_576
const waiting = new WeakMap<Run, number>()

async function offer(run: Run, bytes: Buffer): Promise<boolean> {
  const before = waiting.get(run) ?? 0
  if (before > MAX_WAITING_BYTES) {
    throw new ShellphoneError('CONFLICT', `Run ${run.id} does not read its stdin: ${before} bytes wait already`)
  }
  waiting.set(run, before + bytes.length)
  try {
    const child = await startedChild(run)
    return bytes.length === 0 || (await child.write(bytes))
  } finally {
    waiting.set(run, (waiting.get(run) ?? 0) - bytes.length)
  }
}

/** What comes before the start waits for it. */
async function startedChild(run: Run) {
  while (run.status === 'queued' || run.status === 'starting') await run.changed()
  if (run.child) return run.child
  throw new ShellphoneError('CONFLICT', `Run ${run.id} has ended (${run.status})`)
}
