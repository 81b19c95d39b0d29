import type { Slot } from './launcher-slots.ts'
import { readStat } from './scan-processes.ts'

/** Who owes a run its answers. */
interface Answerer {
  slot: Slot | null
  /** 0: not known yet */
  reaper: number
}

/** Only where it is still the launcher's child. */
function killReaper({ slot, reaper }: Answerer) {
  if (reaper > 0 && readStat(reaper)?.parent === slot?.link.facts.pid) process.kill(reaper, 'SIGKILL')
}

/** Who waits for an answer clears its timer when that has come. */
export interface Watch {
  timer: NodeJS.Timeout
}

/**
 * Waits for an answer that should come within `ms`. A command may have stopped the launcher, which
 * continues a reaper that was stopped: so it is continued first. If that does not help the run's reaper is killed, then the launcher; then the slot is closed.
 */
export function watchAnswer(ms: number, answerer: Answerer): Watch {
  const steps = [
    () => answerer.slot?.link.signal('SIGCONT'),
    () => killReaper(answerer),
    () => answerer.slot?.link.signal('SIGKILL'),
    () => answerer.slot?.destroy(),
  ]
  const watch = { timer: setTimeout(next, ms) }
  function next() {
    steps.shift()!()
    if (steps.length > 0) watch.timer = setTimeout(next, answerer.slot!.link.patienceMs)
  }
  return watch
}
