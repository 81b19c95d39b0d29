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

/** All calls in the same turn of the event loop share one scan of /proc. */
export function createTreeScan(): TreeScan {
  let askers: { tree: Tree; answer(members: ProcessSnapshot[] | null): void }[] = []
  const look = () => {
    const answered = askers
    askers = []
    const pids = pidsFor(answered.map(({ tree }) => tree))
    const seen = pids && readProcesses(pids)
    for (const { tree, answer } of answered) answer(seen && findMembers(tree, seen))
  }
  return (tree) =>
    new Promise((answer) => {
      if (askers.push({ tree, answer }) === 1) setImmediate(look)
    })
}
