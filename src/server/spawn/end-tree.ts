import { setTimeout as sleep } from 'node:timers/promises'
import { Deadline } from '../../shared/async/index.ts'
import type { TreeEnd } from '../../shared/schema/index.ts'
import { killTree } from './kill-tree.ts'
import type { TreeScan } from './tree-scan.ts'
import { readStat, type ProcessSnapshot } from './scan-processes.ts'
import { isForbidden, isGroupAlive, type Member, signalGroup, signalMember, type Tree } from './tree.ts'

/**
 * How long to scan the tree after SIGKILL. A process that is alive after that is a survivor (in state D, or another user's).
 * A killed process needs CPU time to exit: on an overloaded machine this has taken more than a second.
 * The launcher has its own limit (`killMs` in launcher-numbers.ts).
 */
const MAX_KILL_MS = 3000
const MAX_STEP_MS = 100
/** How long to wait for processes that we may not signal (another user's) to exit after the rest of the tree has. */
const FORBIDDEN_MS = 250

interface TreeTools {
  look: TreeScan
  /** resolves when the shell is reaped */
  exited: Promise<unknown>
}

/** Kills a whole tree: SIGTERM, then SIGKILL after `graceMs`, scanning after each until no member is left. `graceMs` 0: SIGKILL immediately. */
export async function endTree(tree: Tree, graceMs: number, tools: TreeTools): Promise<TreeEnd> {
  if (graceMs > 0 && (await signalUntilGone(tree, 'SIGTERM', graceMs, tools))) {
    return report(tree)
  }
  await signalUntilGone(tree, 'SIGKILL', MAX_KILL_MS, tools)
  return report(tree)
}

/**
 * Signals every member once, including those forked in the meantime. Returns true as soon as no member is left; false after `maxMs`, or earlier if
 * we may not signal any of the remaining processes.
 */
async function signalUntilGone(tree: Tree, signal: NodeJS.Signals, maxMs: number, tools: TreeTools): Promise<boolean> {
  let deadline = new Deadline(maxMs)
  let isWaitingForOthers = false
  const signalled = new Map<number, number>()
  for (let round = 0, stepMs = 1; ; round++, stepMs = Math.min(stepMs * 2, MAX_STEP_MS)) {
    // scan before the first signal: a killed parent breaks the parent links
    const left = await tools.look(tree)
    if (isGone(tree, left)) return true
    if (round === 0 && left === null && !tree.reaped) await killTree(tree.pid, signal)
    const groupDone = round === 0 && signalGroup(tree, signal, left === null)
    signalNew(tree, left ?? [], signal, signalled, groupDone)
    if (!isWaitingForOthers && tree.reaped && left?.every(isForbidden)) {
      isWaitingForOthers = true
      deadline = new Deadline(Math.min(deadline.leftMs(), FORBIDDEN_MS))
    }
    const leftMs = deadline.leftMs()
    if (leftMs === 0) return false
    await waitStep(tree, Math.min(stepMs, leftMs), tools.exited)
  }
}

/** Without /proc only the group can be checked. */
function isGone(tree: Tree, left: ProcessSnapshot[] | null): boolean {
  return tree.reaped && (left === null ? !isGroupAlive(tree.pid) : left.length === 0)
}

/** Signals the members that have not received this signal yet. `groupDone`: the whole group has just received it. */
function signalNew(
  tree: Tree,
  members: ProcessSnapshot[],
  signal: NodeJS.Signals,
  signalled: Map<number, number>,
  groupDone: boolean,
) {
  for (const member of members) {
    const before = signalled.get(member.pid)
    const inGroup = member.group === tree.pid
    // a process may have left the group (setsid) before the group's signal arrived; -start marks a process signalled through its group
    if (before === member.start || (before === -member.start && inGroup)) continue
    const byGroup = groupDone && inGroup
    signalled.set(member.pid, byGroup ? -member.start : member.start)
    if (!byGroup) signalMember(member, signal)
  }
}

/** Waits for one step, or until the shell exits. */
async function waitStep(tree: Tree, stepMs: number, exited: Promise<unknown>) {
  if (tree.reaped) return sleep(stepMs)
  const cut = new AbortController()
  await Promise.race([exited, sleep(stepMs, undefined, { signal: cut.signal }).catch(() => {})])
  cut.abort()
}

/** Whether this process (not another that reuses its pid) is alive. */
function isAlive({ pid, start }: Member): boolean {
  const now = readStat(pid)
  return now?.start === start && now.alive
}

function report(tree: Tree): TreeEnd {
  const members = [...tree.known].map(([pid, start]) => ({ pid, start }))
  const survivors = members.filter(isAlive).map(({ pid }) => pid)
  if (!tree.reaped) survivors.unshift(tree.pid)
  return { ended: members.length - survivors.filter((pid) => pid !== tree.pid).length, survivors }
}
