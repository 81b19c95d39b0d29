import { setTimeout as sleep } from 'node:timers/promises'
import type { TreeEnd } from '../schema/index.ts'
import { listPids, readProcesses } from './scan-processes.ts'
import { gather, signalMember } from './tree.ts'

const maxRounds = 60
const stepMs = 50

/** The living processes whose mark says our home but another instance, and their descendants. */
function findOrphans(homeKey: string, instance: string) {
  const pids = listPids()
  if (pids === null) return []
  const isRoot = ({ mark }: { mark: string | null }) =>
    mark?.startsWith(`${homeKey}.`) === true && !mark.startsWith(`${homeKey}.${instance}.`)
  return gather(readProcesses(pids), isRoot)
}

/**
 * Ends what instances of this home that are dead now have left running: SIGKILL, looking again until nothing is left (at most 3 s).
 * For the start of the service. Where there is no /proc (macOS) it finds nothing.
 */
export async function endOrphans(homeKey: string, instance: string): Promise<TreeEnd> {
  const seen = new Set<string>()
  for (let round = 0; ; round++) {
    const orphans = findOrphans(homeKey, instance)
    for (const { pid, start } of orphans) seen.add(`${pid} ${start}`)
    if (orphans.length === 0 || round === maxRounds) {
      return { ended: seen.size - orphans.length, survivors: orphans.map(({ pid }) => pid) }
    }
    for (const orphan of orphans) signalMember(orphan, 'SIGKILL')
    await sleep(round === 0 ? 1 : stepMs)
  }
}
