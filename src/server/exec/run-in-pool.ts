import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job, Outcome } from '../pool/index.ts'
import { awakeClock } from '../../shared/async/index.ts'
import { sharerOf, ShellphoneError } from '../../shared/schema/index.ts'
import type { Command } from './command.ts'
import type { ExecutorParts } from './executor-parts.ts'
import type { Run } from './run.ts'
import { endWhenIdle } from './terminal.ts'

/** Without a lease, the reader has this long to fetch the output that is not stored. */
const READER_TIMEOUT_MS = 30_000

/** Runs a command in its pool, and calls `mayStart` when it gets a slot. Throws POOL_FULL, NOT_STARTED or EXECUTION_ERROR. */
export async function runInPool(
  command: Command,
  mayStart: () => boolean,
  run: Run,
  parts: ExecutorParts,
): Promise<Outcome> {
  if (command.session?.captures) prepareTemporary(parts) // for the program that reports the state
  const temporary = command.sandbox.name === 'workspace-write' ? makeTemporary(run.id, parts) : null
  const pool = command.tty ? parts.terminals.pool : command.background ? parts.backgroundPool : parts.pool
  const settled = command.tty ? endWhenIdle(run, parts.terminals.idleMs) : null
  try {
    const outcome = await pool.run({ ...toJob(command, run, parts, temporary), mayStart }, run)
    if (command.waitsForReader) await awaitReader(command, run)
    return outcome
  } finally {
    settled?.()
    run.shellEnded()
    if (temporary) await rm(temporary, { recursive: true, force: true }).catch(() => {}) // the next start of the service removes it
  }
}

/** Waits until the reader has fetched all output that is not stored, even if it is slow. An expired lease cancels the run. */
async function awaitReader({ leaseMs }: Command, { output, canceled }: Run): Promise<void> {
  let isLate = false
  const wake = () => output.wake()
  const late = () => {
    isLate = true
    wake()
  }
  const timer = leaseMs === null ? awakeClock.startTimer(late, READER_TIMEOUT_MS) : undefined
  canceled.addEventListener('abort', wake)
  while (output.heldBytes() > 0 && !canceled.aborted && !isLate) await output.changed()
  timer?.stop()
  canceled.removeEventListener('abort', wake)
}

/** Creates the folder of all temporary folders. */
function prepareTemporary({ temporaryFolder }: ExecutorParts): void {
  try {
    mkdirSync(temporaryFolder, { recursive: true, mode: 0o700 })
    const { uid } = lstatSync(temporaryFolder) // another user may have created the folder
    if (uid !== process.getuid?.()) throw new Error(`${temporaryFolder} belongs to user ${uid}`)
  } catch (error) {
    throw noTemporary(error)
  }
}

const noTemporary = (error: unknown) =>
  new ShellphoneError('EXECUTION_ERROR', `Cannot create a temporary directory: ${(error as Error).message}`)

/** Creates the temporary folder of a command that may write only in its workspace. The folder exists while the command runs. */
function makeTemporary(id: string, parts: ExecutorParts): string {
  const folder = join(parts.temporaryFolder, id)
  prepareTemporary(parts)
  try {
    mkdirSync(folder, { mode: 0o700 })
    return folder
  } catch (error) {
    throw noTemporary(error)
  }
}

function toJob(
  command: Command,
  { canceled, who }: Run,
  { shell, markPrefix, temporaryFolder }: ExecutorParts,
  temporary: string | null,
): Job {
  const { sandbox, env, stdin, dialectOptions } = command
  // a UTF-8 character has at most 4 bytes
  const keptBytes = command.maxLength * 4
  return {
    spawn: {
      script: command.script,
      shell,
      cwd: command.cwd,
      env: temporary ? { ...env, TMPDIR: temporary } : env,
      mark: `${markPrefix}.${randomUUID()}`,
      stdin: stdin === null ? 'null' : 'pipe',
      terminal: command.tty,
      sandbox: temporary ? { ...sandbox, writable: [...sandbox.writable, temporary] } : sandbox,
      limits: command.limits,
      ...(command.session?.captures && { stateFolder: temporaryFolder }),
    },
    sharer: sharerOf(who),
    timeoutMs: command.timeoutMs,
    killGraceMs: dialectOptions.killGraceMs,
    headBytes: dialectOptions.output.keep === 'head' ? Math.max(keptBytes, dialectOptions.output.maxBytes) : keptBytes,
    tailBytes: keptBytes,
    stdinData: Buffer.isBuffer(stdin) ? stdin : null,
    stdinOpen: stdin === 'open',
    signal: canceled,
  }
}
