import { lstatSync, statSync } from 'node:fs'
import type { Executor } from './exec/index.ts'

/** Distinguishes changes and terminals of a person from those of other runs. */
export interface LiveCommands {
  /**
   * Whether an unsandboxed command that no person has sent is running, or has ended since the file was changed. A missing file counts as
   * removed a moment ago.
   */
  mayHaveWritten(path: string): boolean
  /** Whether this is the shell of a terminal that a person has opened. */
  isPersonsTerminal(pid: number): boolean
}

type Run = Parameters<Parameters<Executor['watch']>[0]>[0]

/** A removal leaves no timestamp; the service notices it within this time. */
const REMOVED_MS = 1_000

/** Tracks the commands that start from now on. */
export function watchCommands({ watch }: Pick<Executor, 'watch'>): LiveCommands {
  const live = new Set<Run>()
  let lastEndMs = 0
  watch((run) => {
    live.add(run)
    void Promise.allSettled([run.finished]).then(() => {
      live.delete(run)
      if (canWrite(run)) lastEndMs = Date.now()
    })
  })
  return {
    mayHaveWritten: (path) => lastEndMs >= changedMs(path) || [...live].some(canWrite),
    isPersonsTerminal: (pid) =>
      [...live].some((run) => run.command.tty !== null && isPersons(run) && run.shellPid() === pid),
  }
}

const isPersons = ({ who }: Run) => who.approves === 'all'

/** Whether the run can write in the service's home although no person has sent it. */
const canWrite = (run: Run) =>
  !isPersons(run) &&
  run.command.transfer === null &&
  run.command.sandbox.name === 'none' &&
  run.taken.includes('starting')

/** The time of the last change (ctime, which no program can set); for a link the earlier of its own and its target's, because the target may change later. */
function changedMs(path: string): number {
  try {
    return Math.min(lstatSync(path).ctimeMs, statSync(path).ctimeMs)
  } catch {
    return Date.now() - REMOVED_MS
  }
}
