import { awakeClock, type Clock, type Timer } from '../../shared/async/index.ts'
import type { Slot } from './launcher-slots.ts'
import { readStat } from './scan-processes.ts'

/** The run whose response is awaited. */
interface Answerer {
  slot: Slot | null
}

/** Kills the run's reaper, or the launcher if it has not forked one. Never kills another process that reuses the reaper's pid. */
function killKeeper({ slot }: Answerer) {
  const reaper = slot!.reaper()
  if (reaper > 0 && readStat(reaper)?.parent === slot!.link.facts.pid) process.kill(reaper, 'SIGKILL')
  else slot!.link.signal('SIGKILL')
}

/** The caller stops the watch when the response has arrived. */
export interface LauncherWatch {
  stop(): void
}

/**
 * Takes recovery steps when a response does not arrive within `ms`. A command may have stopped the launcher, so the watch first sends it
 * SIGCONT, twice; the launcher itself continues stopped reapers. If that does not help, the watch kills the run's reaper, and the launcher
 * closes the slot. If a process of the run does not die (its file system hangs), the launcher cannot close the slot, and the watch gives
 * up the slot. Other runs are not affected.
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
