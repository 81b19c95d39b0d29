import { setTimeout as sleep } from 'node:timers/promises'
import { listPids, listPidsSince, readProcesses, type ProcessSnapshot } from './scan-processes.ts'
import { findMembers, type Tree } from './tree.ts'

/** Finds the living members of a tree; null without /proc. */
export type TreeScan = (tree: Tree) => Promise<ProcessSnapshot[] | null>

/** The pid counter cannot wrap within this time, so only pids newer than the shell need to be read. */
const YOUNG_MS = 2000

function pidsFor(trees: Tree[]): number[] | null {
  const isOld = trees.some(({ startedAtMs }) => performance.now() - startedAtMs >= YOUNG_MS)
  if (isOld) return listPids()
  const younger = trees.map(({ since }) => listPidsSince(since))
  return younger.includes(null) ? null : [...new Set(younger.flatMap((pids) => pids ?? []))]
}

/** How often to look again, after 1 ms each, while a process is replacing its program. That takes 0.1 ms, and longer only without a free core. */
const MAX_LOOKS = 100

function readAll(trees: Tree[]): ProcessSnapshot[] | null {
  const pids = pidsFor(trees)
  return pids && readProcesses(pids)
}

/** All calls in the same turn of the event loop share one scan of /proc. */
export function createTreeScan(): TreeScan {
  let askers: { tree: Tree; answer(members: ProcessSnapshot[] | null): void }[] = []
  /** Never rejects: a process that cannot be read counts as absent. */
  const look = async () => {
    const answered = askers
    askers = []
    const trees = answered.map(({ tree }) => tree)
    let seen = readAll(trees)
    // the mark of a tree may be in the next environment of such a process; everything is read again, so that what is answered was seen at one moment
    for (let looks = 1; looks < MAX_LOOKS && seen?.some(({ inExec }) => inExec); looks++) {
      await sleep(1)
      seen = readAll(trees)
    }
    for (const { tree, answer } of answered) answer(seen && findMembers(tree, seen))
  }
  return (tree) =>
    new Promise((answer) => {
      if (askers.push({ tree, answer }) === 1) setImmediate(() => void look())
    })
}
