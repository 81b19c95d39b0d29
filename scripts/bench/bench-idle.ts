import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const read = (path: string) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended in the meantime
  }
}

/** The process and all its descendants. */
export function family(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(family)]
}

/** The number of times that the threads of these processes were scheduled. */
function countSwitches(pids: number[]): number {
  const threads = pids.flatMap((pid) => {
    try {
      return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/status`)
    } catch {
      return []
    }
  })
  const count = (text: string) => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1] ?? 0)
  return threads.reduce((sum, path) => sum + count(read(path)), 0)
}

/** The wake-ups per second of a process and its descendants, counted over `seconds` as the number of times that a thread went to sleep. */
export async function wakeUps(pid: number, seconds: number): Promise<number> {
  const before = countSwitches(family(pid))
  await sleep(seconds * 1000)
  return (countSwitches(family(pid)) - before) / seconds
}

/** The resident memory of one process in MiB. */
export const rssMib = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
