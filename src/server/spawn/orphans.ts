import { setTimeout as sleep } from 'node:timers/promises'
import type { TreeEnd } from '../../shared/schema/index.ts'
import { listPids, readMark, readProcesses } from './scan-processes.ts'
import { gather, signalMember } from './tree.ts'

const MAX_ROUNDS = 60
const STEP_MS = 50

/** The living processes whose mark says so, and their descendants. */
function findMarked(isMeant: (mark: string) => boolean) {
  const pids = listPids() ?? []
  const isMarked = (mark: string | null) => mark !== null && isMeant(mark)
  // at nearly every start there is none, and marks alone tell
  if (!pids.some((pid) => isMarked(readMark(pid)))) return []
  return gather(readProcesses(pids), ({ mark }) => isMarked(mark))
}

/** SIGKILL to all of them, looking again until nothing is left (at most 3 s). */
async function endAll(isMeant: (mark: string) => boolean): Promise<TreeEnd> {
  const seen = new Set<string>()
  for (let round = 0; ; round++) {
    const found = findMarked(isMeant)
    for (const { pid, start } of found) seen.add(`${pid} ${start}`)
    if (found.length === 0 || round === MAX_ROUNDS) {
      return { ended: seen.size - found.length, survivors: found.map(({ pid }) => pid) }
    }
    for (const one of found) signalMember(one, 'SIGKILL')
    await sleep(round === 0 ? 1 : STEP_MS)
  }
}

/** Ends what instances of this home that are dead now have left running. For the start of the service. Where there is no /proc (macOS) it finds nothing. */
export function endOrphans(homeKey: string, instance: string): Promise<TreeEnd> {
  return endAll((mark) => mark.startsWith(`${homeKey}.`) && !mark.startsWith(`${homeKey}.${instance}.`))
}

/** Ends what is left of one run and can still be known by its mark. */
export const endMarked = (mark: string): Promise<TreeEnd> => endAll((other) => other === mark)
