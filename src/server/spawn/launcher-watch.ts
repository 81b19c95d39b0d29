import { awakeClock, type Clock, type Timer } from '../../shared/async/index.ts'
import type { Slot } from './launcher-slots.ts'
import { readStat } from './scan-processes.ts'

/** The run whose response is awaited. */
interface Answerer {
  slot: Slot | null
}

/** Kills the run's reaper, or the launcher if it has not made one. Never another process that reuses the reaper's pid. */
function killKeeper({ slot }: Answerer) {
  const reaper = slot!.reaper()
  if (reaper > 0 && readStat(reaper)?.parent === slot!.link.facts.pid) process.kill(reaper, 'SIGKILL')
  else slot!.link.signal('SIGKILL')
}

/** Stop it when the response has come. */
export interface LauncherWatch {
  stop(): void
}

/**
 * Acts when a response does not come within `ms`. A command may have stopped the launcher, which itself continues stopped reapers, so the
 * launcher gets SIGCONT first, twice. If that does not help, the run's reaper is killed and the launcher closes the slot. If the launcher
 * cannot, because a process of the run does not die (its file system hangs), the slot is given up. Other runs are not affected.
 */
export function watchAnswer(ms: number, answerer: Answerer, clock: Clock = awakeClock): LauncherWatch {
  const proceed = () => answerer.slot!.link.signal('SIGCONT')
  const steps = [proceed, proceed, () => killKeeper(answerer), () => answerer.slot!.giveUp()]
  let timer: Timer = clock.startTimer(next, ms)
  function next() {
    steps.shift()!()
    if (steps.length > 0) timer = clock.startTimer(next, answerer.slot!.link.patienceMs)
  }
  return { stop: () => timer.stop() }
}
