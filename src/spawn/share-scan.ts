import { listPids, listPidsSince, readProcesses, type Seen } from './scan-processes.ts'

/** One look at /proc, shared by all who ask in the same turn of the event loop. */
export interface Scan {
  /** every process; null where there is no /proc */
  all(): Promise<Seen[] | null>
  /** at least the processes born after `pid` (younger than one wrap of the pid counter); null where there is no /proc */
  since(pid: number): Promise<Seen[] | null>
}

interface Asker {
  since: number | null
  answer: (seen: Seen[] | null) => void
}

function choosePids(askers: Asker[], skip: ReadonlySet<number>): number[] | null {
  const wanted = new Set<number>()
  for (const since of new Set(askers.some((asker) => asker.since === null) ? [null] : askers.map((a) => a.since))) {
    const pids = since === null ? listPids() : listPidsSince(since)
    if (pids === null) return null
    for (const pid of pids) if (!skip.has(pid)) wanted.add(pid)
  }
  return [...wanted]
}

/** `skip`: pids that need no look, because they are shells of runs and unreaped children of ours. */
export function createScan(skip: ReadonlySet<number>): Scan {
  let askers: Asker[] = []
  function look() {
    const answered = askers
    askers = []
    const pids = choosePids(answered, skip)
    const seen = pids === null ? null : readProcesses(pids)
    for (const asker of answered) asker.answer(seen)
  }
  function ask(since: number | null) {
    return new Promise<Seen[] | null>((answer) => {
      if (askers.push({ since, answer }) === 1) setImmediate(look)
    })
  }
  return { all: () => ask(null), since: (pid) => ask(pid) }
}
