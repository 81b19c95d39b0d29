import { randomUUID } from 'node:crypto'
import type { Sink } from '../pool/index.ts'
import { type Sandbox, sharerOf, shellWord, ShellphoneError } from '../../shared/schema/index.ts'
import type { ExecutorParts } from './executor-parts.ts'
import type { Run } from './run.ts'
import type { RunHelper } from './transfer.ts'

const sink: Sink = { onStatus() {}, output: { append() {} } }

/**
 * Returns a function that runs helpers of a transfer as commands run: in a slot of the pool, with the limits of the transfer's run, in the
 * read-only sandbox without network where there is one. null: there is no launcher, or another program enforces the sandbox.
 */
export function helpersOf(
  { command, canceled, who }: Run,
  { commandContext, pool, shell, markPrefix }: ExecutorParts,
): RunHelper | null {
  const { hasLauncher, sandboxes } = commandContext
  if (!hasLauncher || sandboxes.by === 'external') return null
  const name = sandboxes.by === null ? 'none' : 'read-only'
  const sandbox: Sandbox = { ...command.sandbox, name, network: name === 'none', writable: [] }
  return async ({ argv, cwd, stdin, timeoutMs, maxOutputBytes }) => {
    const sharer = sharerOf(who)
    if (!pool.isFreeFor(sharer)) return null
    const spawn = {
      script: `exec ${argv.map(shellWord).join(' ')}`,
      shell,
      cwd,
      env: command.env,
      mark: `${markPrefix}.${randomUUID()}`,
      stdin: 'pipe',
      terminal: null,
      sandbox,
      limits: command.limits,
    } as const
    const limits = { timeoutMs, killGraceMs: 0, headBytes: maxOutputBytes, tailBytes: 0 }
    try {
      const { ending, stdout } = await pool.run({ spawn, sharer, ...limits, stdinData: stdin, signal: canceled }, sink)
      return ending === 'completed' && stdout.bytes <= maxOutputBytes ? stdout.head : null
    } catch (error) {
      if (!(error instanceof ShellphoneError)) throw error
      return null // the pool is full or closed, or the system starts no process
    }
  }
}
