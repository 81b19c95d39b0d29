import type { Slot } from './launcher-slots.ts'
import { readStat } from './scan-processes.ts'

/** Only where it is still the launcher's child. */
function killReaper(pid: number, { link }: Slot) {
  if (pid > 0 && readStat(pid)?.parent === link.facts.pid) process.kill(pid, 'SIGKILL')
}

/**
 * Waits for an answer that should come within `ms`; what is returned says that it has come. A command may have stopped the launcher, which
 * continues a reaper that was stopped: so it is continued first. If that does not help the run's reaper is killed, then the launcher; then the slot is closed.
 */
export function watchAnswer(ms: number, slot: () => Slot | null, reaper: () => number): () => void {
  const steps = [
    () => slot()?.link.signal('SIGCONT'),
    () => killReaper(reaper(), slot()!),
    () => slot()?.link.signal('SIGKILL'),
    () => slot()?.destroy(),
  ]
  let timer = setTimeout(next, ms)
  function next() {
    steps.shift()!()
    if (steps.length > 0) timer = setTimeout(next, slot()!.link.patienceMs)
  }
  return () => clearTimeout(timer)
}
