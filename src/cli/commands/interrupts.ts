import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '../../sdk/index.ts'

/** Handles Ctrl-C and the signals that end this process. */
interface Interrupts {
  /** the first signal that canceled the run */
  canceledBy(): NodeJS.Signals | undefined
  stop(): void
}

const endings = ['SIGTERM', 'SIGHUP'] as const
/** After SIGTERM or SIGHUP, exit if the service has not confirmed the cancel within this time. */
const CONFIRM_MS = 5000

/**
 * First Ctrl-C: interrupts the command. Second: cancels the run with its process tree. Third: calls `leave`. SIGTERM and SIGHUP cancel at
 * once, and leave if that is not confirmed, or on the second signal: the service cancels a run without a client.
 */
export function onInterrupts(run: Run, print: (line: string) => void, leave: () => void): Interrupts {
  let presses = 0
  let canceledBy: NodeJS.Signals | undefined
  /** Resolves with whether the service confirmed it; never rejects. */
  const cancel = async (signal: NodeJS.Signals): Promise<boolean> => {
    canceledBy ??= signal
    try {
      await run.cancel()
      return true
    } catch (error) {
      print(`could not cancel: ${(error as Error).message}`)
      return false
    }
  }
  const press = () => {
    presses += 1
    if (presses > 2) return leave()
    if (presses === 2) return void cancel('SIGINT')
    print('interrupted; press Ctrl-C again to cancel it, a third time to leave it running')
    run.signal('SIGINT').catch(() => {}) // it has ended or not started yet; the second Ctrl-C cancels it
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
