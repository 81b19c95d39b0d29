import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '../../sdk/index.ts'

/** What comes from the keyboard, and from who ends us. */
interface Interrupts {
  /** the last signal for which the run was canceled */
  canceledBy(): NodeJS.Signals | undefined
  stop(): void
}

const endings = ['SIGTERM', 'SIGHUP'] as const
/** The service has this long to confirm a cancel before somebody who wants us to end is let go. */
const CONFIRM_MS = 5000

/**
 * First Ctrl-C: the command is interrupted. Second: it is canceled, with all that it started. Third: `leave`. SIGTERM and SIGHUP cancel at
 * once, and leave where that is not confirmed, or on the second one: the service cancels a run that nobody follows.
 */
export function onInterrupts(run: Run, tell: (line: string) => void, leave: () => void): Interrupts {
  let presses = 0
  let canceledBy: NodeJS.Signals | undefined
  /** Whether it could be; never rejects. */
  const cancel = async (signal: NodeJS.Signals): Promise<boolean> => {
    canceledBy ??= signal
    try {
      await run.cancel()
      return true
    } catch (error) {
      tell(`could not cancel: ${(error as Error).message}`)
      return false
    }
  }
  const press = () => {
    presses += 1
    if (presses > 2) return leave()
    if (presses === 2) return void cancel('SIGINT')
    tell('interrupted; press Ctrl-C again to cancel it, a third time to leave it running')
    run.signal('SIGINT').catch(() => {}) // it has ended, or has not begun: the second one cancels it
  }
  /** Never rejects. */
  const end = async (signal: NodeJS.Signals) => {
    if (canceledBy === signal) return leave()
    const isConfirmed = await Promise.race([cancel(signal), sleep(CONFIRM_MS, false, { ref: false })])
    if (!isConfirmed) leave()
  }
  const onEnding = (signal: NodeJS.Signals) => void end(signal)
  process.on('SIGINT', press)
  for (const signal of endings) process.on(signal, onEnding)
  return {
    canceledBy: () => canceledBy,
    stop: () => {
      process.off('SIGINT', press)
      for (const signal of endings) process.off(signal, onEnding)
    },
  }
}
