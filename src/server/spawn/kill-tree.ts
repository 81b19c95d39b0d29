import { execFile } from 'node:child_process'
import { createPromise, within } from '../../shared/async/index.ts'

const MAX_LIST_MS = 1000
const MAX_WALK_MS = 3000

/** What the package starts to list the children of a process; ours are asked for: there is the one whose tree is meant. */
const lister = {
  command: process.platform === 'darwin' ? 'pgrep' : 'ps',
  args:
    process.platform === 'darwin'
      ? ['-P', String(process.pid)]
      : ['-o', 'pid', '--no-headers', '--ppid', String(process.pid)],
}

/** tree-kill expects a lister that starts, and that prints a number when it succeeds: it throws in an event of its own where there is none. */
function canListChildren(): Promise<boolean> {
  const { promise, resolve } = createPromise<boolean>()
  try {
    const options = { timeout: MAX_LIST_MS, killSignal: 'SIGKILL' } as const
    execFile(lister.command, lister.args, options, (error, stdout) => resolve(error === null && /\d/.test(stdout)))
  } catch {
    resolve(false) // no process or descriptor to be had
  }
  return promise
}

/**
 * Signals `pid` and all that descends from it by parent links, with the package tree-kill: the portable way, where /proc cannot be read
 * (macOS). Only for a child that has not been reaped. False where the system's `ps` (macOS: `pgrep`) cannot list children, or does not
 * answer within 3 s; never rejects.
 */
export async function killTree(pid: number, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await canListChildren())) return false
  const { default: treeKill } = await import('tree-kill')
  const { promise, resolve } = createPromise<void>()
  treeKill(pid, signal, () => resolve())
  return within(promise, MAX_WALK_MS)
}
