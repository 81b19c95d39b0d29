import { lstatSync, statSync } from 'node:fs'
import type { Executor } from './exec/index.ts'

/** What of the runs that live tells whether a person is at work. */
export interface LiveCommands {
  /**
   * Whether an unsandboxed command that no person has sent runs, or has ended since the file was changed. A file that is not there has been
   * removed a moment ago.
   */
  mayHaveWritten(path: string): boolean
  /** Is this the shell of a terminal that a person has opened? */
  isPersonsTerminal(pid: number): boolean
}

type Run = Parameters<Parameters<Executor['watch']>[0]>[0]

/** A removal leaves no time behind: it is heard of within less than this. */
const REMOVED_MS = 1_000

/** Notes the commands that begin from now on. */
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

/** In the service's home, although nobody who may has sent it. */
const canWrite = (run: Run) =>
  !isPersons(run) &&
  run.command.transfer === null &&
  run.command.sandbox.name === 'none' &&
  run.taken.includes('starting')

/** The time of the last change, which no program can set; of a link that of itself, too, for what it leads to may change later. */
function changedMs(path: string): number {
  try {
    return Math.min(lstatSync(path).ctimeMs, statSync(path).ctimeMs)
  } catch {
    return Date.now() - REMOVED_MS
  }
}
