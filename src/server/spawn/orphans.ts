import { setTimeout as sleep } from 'node:timers/promises'
import type { TreeEnd } from '../../shared/schema/index.ts'
import { listPids, readMark, readProcesses } from './scan-processes.ts'
import { gather, signalMember } from './tree.ts'

const MAX_ROUNDS = 60
const STEP_MS = 50

/** The living processes whose mark matches, and their descendants. */
function findMarked(isMeant: (mark: string) => boolean) {
  const pids = listPids() ?? []
  const isMarked = (mark: string | null) => mark !== null && isMeant(mark)
  // nearly every start finds no orphans, and reading only the marks shows that
  if (!pids.some((pid) => isMarked(readMark(pid)))) return []
  return gather(readProcesses(pids), ({ mark }) => isMarked(mark))
}

/** Sends SIGKILL to the marked processes and scans again until none is left (at most 3 s). */
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

/** Kills the processes left behind by dead instances of the service in this home directory, when the service starts. Without /proc (macOS), finds none. */
export function endOrphans(homeKey: string, instance: string): Promise<TreeEnd> {
  return endAll((mark) => mark.startsWith(`${homeKey}.`) && !mark.startsWith(`${homeKey}.${instance}.`))
}

/** Kills the remaining processes of one run that can be found by its mark. */
export const endMarked = (mark: string): Promise<TreeEnd> => endAll((other) => other === mark)
