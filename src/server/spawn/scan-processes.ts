import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { MARK_NAME } from '../../shared/schema/index.ts'

/** One process as /proc shows it. `start` is field 22 of stat (clock ticks since boot); together with the pid it identifies one process. */
export interface ProcessSnapshot {
  pid: number
  parent: number
  group: number
  session: number
  start: number
  /** false: a zombie */
  alive: boolean
  /** the value of MARK_NAME in its environment; null: none, or not readable */
  mark: string | null
  /** true: it is replacing its program (execve) and has no environment at this moment, so its mark is not known yet */
  inExec: boolean
}

/** What /proc/PID/stat shows. */
type ProcessStat = Omit<ProcessSnapshot, 'mark' | 'inExec'>

/** the kernel does not reuse pids below this one after the counter has wrapped (RESERVED_PIDS in kernel/pid.c) */
const RESERVED_PIDS = 300
/** above this distance, one readdir is cheaper than opening each candidate */
const PROBE_AT_MOST = 6
/** how much of an environment to search (by default the kernel limits argv and environment together to 2 MiB) */
const MAX_ENVIRON_BYTES = 4 * 1024 * 1024

const buffer = Buffer.allocUnsafe(64 * 1024)

/** Reads a small /proc file (up to 64 KiB) through the shared buffer; null if it is gone or not readable. */
function readSmall(path: string): string | null {
  try {
    const fd = openSync(path, 'r')
    try {
      return buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, null))
    } finally {
      closeSync(fd)
    }
  } catch {
    return null
  }
}

/** The environment as one string, entries separated by NUL; null if it cannot be read. */
function readEnviron(pid: number): string | null {
  try {
    const fd = openSync(`/proc/${pid}/environ`, 'r')
    try {
      let text = ''
      for (;;) {
        const bytes = readSync(fd, buffer, 0, buffer.length, null)
        text += buffer.toString('latin1', 0, bytes)
        if (bytes < buffer.length || text.length >= MAX_ENVIRON_BYTES) return text
      }
    } finally {
      closeSync(fd)
    }
  } catch {
    return null
  }
}

/** The value of MARK_NAME in an environment whose entries are separated by NUL, or null. */
export function findMark(environ: string): string | null {
  const name = `${MARK_NAME}=`
  const at = environ.startsWith(name) ? 0 : environ.indexOf(`\0${name}`) + 1
  if (at === 0 && !environ.startsWith(name)) return null
  const end = environ.indexOf('\0', at)
  return environ.slice(at + name.length, end < 0 ? undefined : end)
}

/** Parses one line of /proc/PID/stat; null if it is malformed. The name in parentheses may contain spaces and parentheses. */
export function parseStat(line: string): ProcessStat | null {
  const nameEnd = line.lastIndexOf(')')
  if (nameEnd < 0) return null
  const fields = line.slice(nameEnd + 2).split(' ')
  const number = (index: number) => Number(fields[index])
  const dead = fields[0] === 'Z' || fields[0] === 'X'
  return {
    pid: Number.parseInt(line, 10),
    parent: number(1),
    group: number(2),
    session: number(3),
    start: number(19),
    // a process whose first thread has exited before the others shows Z with more than one thread
    alive: !dead || number(17) > 1,
  }
}

/** Reads one process without its mark; null if no process has that pid, or if it is hidden from us. */
export function readStat(pid: number): ProcessStat | null {
  const line = readSmall(`/proc/${pid}/stat`)
  return line === null ? null : parseStat(line)
}

function readProcess(pid: number): ProcessSnapshot | null {
  const before = readSmall(`/proc/${pid}/stat`)
  const stat = before === null ? null : parseStat(before)
  if (stat === null || !stat.alive) return stat && { ...stat, mark: null, inExec: false }
  const environ = readEnviron(pid)
  const mark = environ === null ? null : findMark(environ)
  // the kernel's own threads, in group 0, have no environment
  if (environ === null || mark !== null || stat.group === 0) return { ...stat, mark, inExec: false }
  const after = readSmall(`/proc/${pid}/stat`) ?? ''
  const inExec = !isSettled(before!, after) || (environ === '' && readSmall(`/proc/${pid}/cmdline`) === '')
  return { ...stat, mark, inExec }
}

/**
 * Whether the same program, completely loaded, ran at both lines of stat. While execve copies arguments and environment to the new stack, the stack
 * still begins where the arguments do (fields 28 and 48), and the environment ends nowhere (51). All are 0 where the system does not show them.
 */
function isSettled(before: string, after: string): boolean {
  const places = (line: string) => {
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return [28, 48, 50, 51].map((field) => Number(fields[field - 3]))
  }
  const [stack, args, , environEnd] = places(after)
  return String(places(before)) === String(places(after)) && (stack === 0 || (stack !== args && environEnd !== 0))
}

/** The mark in the environment that a process was started with; null: no mark, or the environment is hidden from us. */
export function readMark(pid: number): string | null {
  const environ = readEnviron(pid)
  return environ === null ? null : findMark(environ)
}

/** Every pid in /proc; null without /proc (macOS). */
export function listPids(): number[] | null {
  try {
    const pids = readdirSync('/proc')
      .filter((name) => name >= '1' && name < ':')
      .map(Number)
    return pids.length > 0 ? pids : null
  } catch {
    return null
  }
}

let maxPid: number | undefined

/** The most recent pid, from the last field of /proc/loadavg; null if that is hidden (Android). */
function newestPid(): number | null {
  const newest = Number(readSmall('/proc/loadavg')?.trimEnd().split(' ').at(-1))
  maxPid ??= Number(readSmall('/proc/sys/kernel/pid_max') ?? 0)
  return newest > 0 && maxPid > 0 ? newest : null
}

/** Whether `pid` was assigned after `since` and not after `newest`. The counter wraps. */
export function isBetween(pid: number, since: number, newest: number): boolean {
  return newest >= since ? pid > since && pid <= newest : pid > since || (pid >= RESERVED_PIDS && pid <= newest)
}

/** The pids that may have been assigned after `since`, if the counter has wrapped at most once; null without /proc. */
export function listPidsSince(since: number): number[] | null {
  const newest = newestPid()
  if (newest === null) return listPids()
  const distance = newest - since
  if (distance >= 0 && distance <= PROBE_AT_MOST) {
    return Array.from({ length: distance }, (_, index) => since + 1 + index)
  }
  return listPids()?.filter((pid) => isBetween(pid, since, newest)) ?? null
}

/** Reads the processes with these pids; omits those that have exited. */
export function readProcesses(pids: number[]): ProcessSnapshot[] {
  return pids.map(readProcess).filter((seen) => seen !== null)
}
