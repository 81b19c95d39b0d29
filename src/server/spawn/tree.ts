import { readStat, type ProcessSnapshot } from './scan-processes.ts'

/** What is known about one run's process tree. The shell itself is not a member: it is our child, so we watch its exit instead. */
export interface Tree {
  readonly pid: number
  /** true once the shell has been reaped: its pid and group may then be reused by an unrelated process */
  reaped: boolean
  /** pid → start time of every member ever seen */
  readonly known: Map<number, number>
  readonly mark: string
  /** the pid of every member was assigned after this one */
  readonly since: number
  /** performance.now() of the shell's start */
  readonly startedAtMs: number
}

/** A member: pid and start time, which together identify one process. */
export type Member = Pick<ProcessSnapshot, 'pid' | 'start'>

const ownPid = process.pid
let ownGroup: number | undefined

/** Our own process group, whose members are never signalled; 0 without /proc. */
function getOwnGroup(): number {
  ownGroup ??= readStat(ownPid)?.group ?? 0
  return ownGroup
}

/** Whether this process may be signalled: never init, never ourselves, never our own group. */
export function isSignallable(seen: Pick<ProcessSnapshot, 'pid' | 'group'>): boolean {
  return seen.pid > 1 && seen.pid !== ownPid && seen.group !== getOwnGroup()
}

/**
 * The living processes among `all` that `isRoot` accepts, their descendants, and every process in a session of one of these: each run has its
 * own session, and no process can join another's. `parents`: pids whose children count although they are not members (the living shell).
 */
export function gather(
  all: ProcessSnapshot[],
  isRoot: (seen: ProcessSnapshot) => boolean,
  parents: number[] = [],
): ProcessSnapshot[] {
  const inside = new Set(parents)
  const sessions = new Set<number>()
  const found = new Set<ProcessSnapshot>()
  const candidates = all.filter((seen) => seen.alive && isSignallable(seen))
  for (let size = -1; size !== found.size;) {
    size = found.size
    for (const seen of candidates) {
      if (found.has(seen) || !(inside.has(seen.parent) || sessions.has(seen.session) || isRoot(seen))) continue
      found.add(seen)
      inside.add(seen.pid)
      sessions.add(seen.session)
    }
  }
  return [...found]
}

/** The members of the tree among `all`, by group, session, parent links, mark or earlier membership. Adds them to `tree.known`. */
export function findMembers(tree: Tree, all: ProcessSnapshot[]): ProcessSnapshot[] {
  const others = all.filter((seen) => seen.pid !== tree.pid)
  // a process with the shell's pid after the shell was reaped is unrelated, and so are its group and session
  const isStranger = tree.reaped && others.length < all.length
  const isRoot = (seen: ProcessSnapshot) =>
    seen.mark === tree.mark ||
    tree.known.get(seen.pid) === seen.start ||
    (!isStranger && (seen.group === tree.pid || seen.session === tree.pid))
  const members = gather(others, isRoot, tree.reaped ? [] : [tree.pid])
  for (const { pid, start } of members) tree.known.set(pid, start)
  return members
}

/** Signals exactly this process: first reads its start time again. Returns false if it is gone, we may not signal it, or another process has its pid. */
export function signalMember({ pid, start }: Member, signal: NodeJS.Signals): boolean {
  const now = readStat(pid)
  if (now?.start !== start || !now.alive || !isSignallable(now)) return false
  try {
    return process.kill(pid, signal)
  } catch {
    return false // it has exited or belongs to another user: the next scan shows which
  }
}

/** Whether we may not signal the process because it belongs to another user. */
export function isForbidden({ pid }: Member): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Signals the shell's group, but only while the shell is our unreaped child, so that its pid cannot be reused. `blind`: signals the group after
 * that too, because without /proc the members cannot be found (the group's id is not reused while a member is alive).
 */
export function signalGroup(tree: Tree, signal: NodeJS.Signals, blind = false): boolean {
  if ((tree.reaped && !blind) || tree.pid <= 1) return false
  try {
    return process.kill(-tree.pid, signal)
  } catch {
    return false // the group is empty
  }
}

/** Whether the group has a member, alive or not yet reaped. */
export function isGroupAlive(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
