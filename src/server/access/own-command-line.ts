import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalProof, proofFile, readProof } from '../../shared/transport/index.ts'

/** A process as /proc shows it. */
interface Seen {
  pid: number
  parent: number
  /** with the pid it names one process for ever */
  start: number
}

interface CommandLineParts {
  /** the service's */
  pid: number
  /** real path of the service's home */
  home: string
  /** null: gone, or hidden from us */
  stat(pid: number): Seen | null
  /** the mark that a run's processes have in their environment; null: none, or hidden */
  mark(pid: number): string | null
  /** of every mark that this home's services give */
  markKey: string
  /** Is this the shell of a terminal that a person has opened? */
  isPersonsTerminal(pid: number): boolean
  /** Do the processes of all runs descend from this one? */
  keepsAll(): boolean
  /** whether they did at first: a launcher started them */
  hasLauncher: boolean
}

/** Knows a command line that a person of this machine has started from a command that the service runs. */
export interface OwnCommandLine {
  /** Whether the text proves that it comes from a command line of the service's user that no run has started. */
  proves(text: string): boolean
}

/**
 * The process must hold the file that the proof names, and neither it nor one that it descends from may be of a run: not by parents, which a run
 * cannot shed while its launcher lives, nor by mark. What a person has opened a terminal for is a person's.
 */
export function createOwnCommandLine(parts: CommandLineParts): OwnCommandLine {
  return {
    proves(text) {
      const proof = readProof(text)
      return proof !== null && holdsFile(proof, parts.home) && isNoRuns(proof.pid, parts)
    },
  }
}

/** For reading and writing, as who made it has it: a program that was only asked to read a file or to write one has not. */
function holdsFile({ pid, descriptor, secret }: LocalProof, home: string): boolean {
  try {
    const path = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'latin1')) ?? []
    return path === `${join(home, proofFile(secret))} (deleted)` && (parseInt(flags ?? '0', 8) & ACCESS_MODE) === O_RDWR
  } catch {
    return false // gone, or another user's
  }
}

const [ACCESS_MODE, O_RDWR] = [3, 2]

function isNoRuns(pid: number, parts: CommandLineParts): boolean {
  const line = descentOf(pid, parts)
  if (line === null) return false
  const first = line.find((one) => one.pid === parts.pid || parts.isPersonsTerminal(one.pid))
  if (first) return first.pid !== parts.pid
  if (line.some((one) => parts.mark(one.pid)?.startsWith(`${parts.markKey}.`))) return false
  return parts.keepsAll() || (parts.hasLauncher && hasOlderParent(line, parts))
}

/**
 * Whether it descends from a process that is older than the service and not one of the service's own ancestors. A process that escaped from a run
 * cannot: everything that a run starts is younger, and only an ancestor of the service adopts its orphans.
 */
function hasOlderParent(line: Seen[], parts: CommandLineParts): boolean {
  const own = descentOf(parts.pid, parts)
  if (own === null) return false
  const ancestors = new Set(own.map(({ pid }) => pid))
  return line.some(({ pid, start }) => start < own[0]!.start && !ancestors.has(pid))
}

/** The process and those that it descends from; null: one of them went meanwhile. */
function descentOf(pid: number, { stat }: CommandLineParts): Seen[] | null {
  const line: Seen[] = []
  for (let next = pid; next > 0;) {
    const seen = stat(next)
    if (seen === null && !isHidden(next)) return null
    if (seen === null) break
    line.push(seen)
    next = seen.parent
  }
  const isSame = ({ pid, parent, start }: Seen) => {
    const now = stat(pid)
    return now?.parent === parent && now.start === start
  }
  return line.length > 0 && line.every(isSame) ? line : null
}

/** Another user's, which Android keeps from us. */
function isHidden(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
