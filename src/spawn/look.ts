import { newestPid, readProcesses, type Seen } from './scan-processes.ts'
import type { Scan } from './share-scan.ts'
import { findMembers, type Tree } from './tree.ts'

/** Within this time the pid counter cannot wrap, so that only pids younger than the shell need a look. */
const youngMs = 2000

/** The living members of a tree, looked for among all that can be one; null where there is no /proc. */
export async function lookWide(tree: Tree, scan: Scan): Promise<Seen[] | null> {
  const isYoung = performance.now() - tree.startedAtMs < youngMs
  const seen = await (isYoung ? scan.since(tree.pid) : scan.all())
  return seen === null ? null : findMembers(tree, seen)
}

/**
 * Looks again and again at one tree: wide at first, then only at its known members and at what was born since the look before;
 * and wide again before it says that nothing is left.
 */
export function createLookout(tree: Tree, scan: Scan): () => Promise<Seen[] | null> {
  let lookedUpTo: number | null = null
  return async () => {
    const since = lookedUpTo
    lookedUpTo = newestPid()
    const young = since === null ? null : await scan.since(since)
    if (young === null) return lookWide(tree, scan)
    const old = readProcesses([...tree.known.keys()].filter((pid) => young.every((seen) => seen.pid !== pid)))
    const members = findMembers(tree, [...old, ...young])
    return members.length > 0 ? members : lookWide(tree, scan)
  }
}
