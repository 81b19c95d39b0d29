import { execFile } from 'node:child_process'
import { createPromise, within } from '../../shared/async/index.ts'

const MAX_LIST_MS = 1000
const MAX_WALK_MS = 3000

/** The command that tree-kill uses to list children. Here it lists our own children; at least one exists, the process to kill. */
const lister = {
  command: process.platform === 'darwin' ? 'pgrep' : 'ps',
  args:
    process.platform === 'darwin'
      ? ['-P', String(process.pid)]
      : ['-o', 'pid', '--no-headers', '--ppid', String(process.pid)],
}

/** Tests the list command: tree-kill throws in an event handler if that does not start, or succeeds without printing a number. */
function canListChildren(): Promise<boolean> {
  const { promise, resolve } = createPromise<boolean>()
  try {
    const options = { timeout: MAX_LIST_MS, killSignal: 'SIGKILL' } as const
    execFile(lister.command, lister.args, options, (error, stdout) => resolve(error === null && /\d/.test(stdout)))
  } catch {
    resolve(false) // out of processes or descriptors
  }
  return promise
}

/**
 * Signals `pid` and all its descendants with the package tree-kill, for systems without a readable /proc (macOS). `pid` must be a child that
 * has not been reaped. Resolves to false if the system's `ps` (macOS: `pgrep`) cannot list children or takes longer than 3 s; never rejects.
 */
export async function killTree(pid: number, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await canListChildren())) return false
  const { default: treeKill } = await import('tree-kill')
  const { promise, resolve } = createPromise<void>()
  treeKill(pid, signal, () => resolve())
  return within(promise, MAX_WALK_MS)
}
