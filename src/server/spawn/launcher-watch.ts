import { awakeClock, type Clock, type Timer } from '../../shared/async/index.ts'
import type { Slot } from './launcher-slots.ts'
import { readStat } from './scan-processes.ts'

/** Who owes a run its answers. */
interface Answerer {
  slot: Slot | null
}

/** The reaper where there is one, else the launcher, which has not even made one. Nobody else who has got its pid. */
function killKeeper({ slot }: Answerer) {
  const reaper = slot!.reaper()
  if (reaper > 0 && readStat(reaper)?.parent === slot!.link.facts.pid) process.kill(reaper, 'SIGKILL')
  else slot!.link.signal('SIGKILL')
}

/** Who waits for an answer stops it when that has come. */
export interface LauncherWatch {
  stop(): void
}

/**
 * Waits for an answer that should come within `ms`. A command may have stopped the launcher, which continues a reaper that was stopped:
 * so the launcher is continued first, twice. If that does not help the run's reaper is killed, whose slot the launcher closes; where it
 * cannot, since what the run has started does not die (a file system does not answer), the slot is given up. Other runs go on.
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
