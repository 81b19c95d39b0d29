import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalProof, proofFile, readProof } from '../../shared/transport/index.ts'

/** A process as /proc shows it. */
interface ProcessInfo {
  pid: number
  parent: number
  /** start time; together with the pid, it identifies a process uniquely */
  start: number
}

interface CommandLineParts {
  /** the service's own pid */
  pid: number
  /** real path of the service's home directory */
  home: string
  /** null: the process has ended, or the system hides it */
  stat(pid: number): ProcessInfo | null
  /** the mark that a run's processes have in their environment; null: the process has no mark, or the system hides it */
  mark(pid: number): string | null
  /** the first part of every mark that a service with this home directory sets */
  markKey: string
  /** whether the process is the shell of a terminal that a person has opened */
  isPersonsTerminal(pid: number): boolean
  /** whether the processes of all runs are still descendants of the service */
  keepsAll(): boolean
  /** whether a launcher started the runs, so that their processes began as descendants of the service */
  hasLauncher: boolean
}

/** Distinguishes a command line that a person on this machine has started from a command that the service runs. */
export interface OwnCommandLine {
  /** Whether the text proves that its sender is a command line of the service's user that no run has started. */
  proves(text: string): boolean
}

/**
 * The process must hold open the file that the proof names, and neither the process nor an ancestor may belong to a run. This is visible from its
 * marks and from its parents, which a run cannot escape while its launcher is alive. A process in a terminal that a person opened counts as that person's.
 */
export function createOwnCommandLine(parts: CommandLineParts): OwnCommandLine {
  return {
    proves(text) {
      const proof = readProof(text)
      return proof !== null && holdsFile(proof, parts.home) && isOutsideRuns(proof.pid, parts)
    },
  }
}

/** Whether the process has the file open for both reading and writing, as its creator does; a program tricked into reading or writing a file does not. */
function holdsFile({ pid, descriptor, secret }: LocalProof, home: string): boolean {
  try {
    const path = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'latin1')) ?? []
    return path === `${join(home, proofFile(secret))} (deleted)` && (parseInt(flags ?? '0', 8) & ACCESS_MODE) === O_RDWR
  } catch {
    return false // the process has ended, or belongs to another user
  }
}

const [ACCESS_MODE, O_RDWR] = [3, 2]

function isOutsideRuns(pid: number, parts: CommandLineParts): boolean {
  const ancestry = ancestryOf(pid, parts)
  if (ancestry === null) return false
  const { chain, isBelowHidden } = ancestry
  const first = chain.find((one) => one.pid === parts.pid || parts.isPersonsTerminal(one.pid))
  if (first) return first.pid !== parts.pid
  if (isBelowHidden) return false
  if (chain.some((one) => parts.mark(one.pid)?.startsWith(`${parts.markKey}.`))) return false
  return parts.keepsAll() || (parts.hasLauncher && hasOlderParent(chain, parts))
}

/**
 * Whether the process descends from one that is older than the service and is not an ancestor of it. A process that escaped from a run does not:
 * everything that a run starts is younger, and only an ancestor of the service adopts orphans.
 */
function hasOlderParent(chain: ProcessInfo[], parts: CommandLineParts): boolean {
  const own = ancestryOf(parts.pid, parts)
  if (own === null) return false
  const ancestors = new Set(own.chain.map(({ pid }) => pid))
  return chain.some(({ pid, start }) => start < own.chain[0]!.start && !ancestors.has(pid))
}

/** A process and its visible ancestors. `isBelowHidden`: the next one is a process of this user that hides, as a launcher and its reapers do on Android. */
interface Ancestry {
  chain: ProcessInfo[]
  isBelowHidden: boolean
}

/** The process and its ancestors; null: one of them has ended in the meantime. */
function ancestryOf(pid: number, { stat }: CommandLineParts): Ancestry | null {
  const chain: ProcessInfo[] = []
  let next = pid
  for (let info = stat(next); info !== null; info = next > 0 ? stat(next) : null) {
    chain.push(info)
    next = info.parent
  }
  const above = next > 0 ? whoIs(next) : 'other user'
  if (above === 'nobody') return null
  const isSame = ({ pid, parent, start }: ProcessInfo) => {
    const now = stat(pid)
    return now?.parent === parent && now.start === start
  }
  return chain.length > 0 && chain.every(isSame) ? { chain, isBelowHidden: above === 'this user' } : null
}

/** To whom a process belongs that /proc does not show. */
function whoIs(pid: number): 'this user' | 'other user' | 'nobody' {
  try {
    process.kill(pid, 0)
    return 'this user'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'other user' : 'nobody'
  }
}
