import { readStat, type ProcessSnapshot } from './scan-processes.ts'

/** What is known of one run's tree. The shell itself is not a member: it is our child and is watched as such. */
export interface Tree {
  readonly pid: number
  /** true once the shell has been reaped: from then on its pid and group may belong to a stranger */
  reaped: boolean
  /** pid → start time of every member ever seen */
  readonly known: Map<number, number>
  readonly mark: string
  /** whatever belongs to it, but the shell, was born after this pid */
  readonly since: number
  /** performance.now() of the shell's start */
  readonly startedAtMs: number
}

/** A member: pid and start time, which together name one process. */
export type Member = Pick<ProcessSnapshot, 'pid' | 'start'>

const ownPid = process.pid
let ownGroup: number | undefined

/** Our own process group (0 where /proc does not tell): nothing in it is ever signalled. */
function getOwnGroup(): number {
  ownGroup ??= readStat(ownPid)?.group ?? 0
  return ownGroup
}

/** May this process be signalled at all? Never init, never ourselves, never our own group. */
export function isSignallable(seen: Pick<ProcessSnapshot, 'pid' | 'group'>): boolean {
  return seen.pid > 1 && seen.pid !== ownPid && seen.group !== getOwnGroup()
}

/**
 * The living processes among `all` that `isRoot` names, what descends from them by parent links, and whoever shares a session with one of them:
 * every run has a session of its own, and nobody can join another's. `parents`: pids whose children count although they are no members (the living shell).
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

/** The members of the tree among `all`: by group, session, parent links, mark, or because they were members before. They become known. */
export function findMembers(tree: Tree, all: ProcessSnapshot[]): ProcessSnapshot[] {
  const others = all.filter((seen) => seen.pid !== tree.pid)
  // a process with the shell's pid after the shell was reaped is a stranger, and so are its group and session
  const isStranger = tree.reaped && others.length < all.length
  const isRoot = (seen: ProcessSnapshot) =>
    seen.mark === tree.mark ||
    tree.known.get(seen.pid) === seen.start ||
    (!isStranger && (seen.group === tree.pid || seen.session === tree.pid))
  const members = gather(others, isRoot, tree.reaped ? [] : [tree.pid])
  for (const { pid, start } of members) tree.known.set(pid, start)
  return members
}

/** Signals exactly the process that was seen: its start time is read again first. False when it is gone, not ours to signal, or another now has its pid. */
export function signalMember({ pid, start }: Member, signal: NodeJS.Signals): boolean {
  const now = readStat(pid)
  if (now?.start !== start || !now.alive || !isSignallable(now)) return false
  try {
    return process.kill(pid, signal)
  } catch {
    return false // gone meanwhile, or of another user: the next scan tells
  }
}

/** May we not signal it: is it another user's? */
export function isForbidden({ pid }: Member): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Signals the shell's group, and only while the shell holds that number: is our unreaped child. `blind`: there is no /proc to find the members by, so
 * the group is signalled afterwards too (its number is not given out again while a member lives).
 */
export function signalGroup(tree: Tree, signal: NodeJS.Signals, blind = false): boolean {
  if ((tree.reaped && !blind) || tree.pid <= 1) return false
  try {
    return process.kill(-tree.pid, signal)
  } catch {
    return false // nobody is left in it
  }
}

/** Has the group a member, alive or not yet reaped? */
export function isGroupAlive(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
