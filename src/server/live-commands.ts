import { lstatSync, statSync } from 'node:fs'
import type { Executor } from './exec/index.ts'

/** Distinguishes a person's file changes and terminals from those of other runs. */
export interface LiveCommands {
  /**
   * Returns whether an unsandboxed command that was not sent by a person is running, or has ended since the file changed. A missing file
   * counts as just removed.
   */
  mayHaveWritten(path: string): boolean
  /** Returns whether a pid is the shell of a terminal that a person has opened. */
  isPersonsTerminal(pid: number): boolean
}

type Run = Parameters<Parameters<Executor['watch']>[0]>[0]

/** The service notices the removal of a file, which leaves no timestamp, within this time. */
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

/** Returns whether a run that was not sent by a person can write to the service's home. */
const canWrite = (run: Run) =>
  !isPersons(run) &&
  run.command.transfer === null &&
  run.command.sandbox.name === 'none' &&
  run.statuses.includes('starting')

/**
 * Returns the time of the last change (ctime, which no program can set). For a link, returns the earlier of its own time and its target's,
 * because the target may change later.
 */
function changedMs(path: string): number {
  try {
    return Math.min(lstatSync(path).ctimeMs, statSync(path).ctimeMs)
  } catch {
    return Date.now() - REMOVED_MS
  }
}
