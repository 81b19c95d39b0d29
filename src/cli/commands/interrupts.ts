import { setTimeout as sleep } from 'node:timers/promises'
import { awakeClock, type Clock, type Timer } from '../../shared/async/index.ts'
import type { Run } from '../../sdk/index.ts'

/** Handles Ctrl-C and the signals that end this process. */
export interface Interrupts {
  /** Reports that the command runs, so that the first Ctrl-C interrupts it. */
  isRunning(): void
  /** the first signal that canceled the run */
  canceledBy(): NodeJS.Signals | undefined
  /** Returns the signal with this name if this process has received it. */
  received(name: string | null): NodeJS.Signals | undefined
  stop(): void
}

const endings = ['SIGTERM', 'SIGHUP'] as const
/** After SIGTERM or SIGHUP, the client exits if the service has not confirmed the cancellation within this time. */
const CONFIRM_MS = 5000
/** Most commands end within this time after SIGINT, and then the next Ctrl-C needs no explanation. */
const HINT_MS = 1000

/**
 * The first Ctrl-C interrupts the command (or cancels the run if the command has not started), the second cancels the run and kills its process tree, and the third calls `leave`. SIGTERM and
 * SIGHUP cancel the run at once. They call `leave` if the service does not confirm this, or on the second signal; the service cancels a run
 * without a client anyway.
 */
export function onInterrupts(
  run: Run,
  print: (line: string) => void,
  leave: () => void,
  clock: Clock = awakeClock,
): Interrupts {
  let hint: Timer | undefined
  let presses = 0
  let runs = false
  let canceledBy: NodeJS.Signals | undefined
  const received: NodeJS.Signals[] = []
  /** Resolves with true if the service confirmed the cancellation; never rejects. */
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
    received.push('SIGINT')
    presses += 1
    hint?.stop()
    if (presses > 2) return leave()
    if (presses === 1 && !runs) {
      presses = 2
      return void cancel('SIGINT')
    }
    if (presses === 2) return void cancel('SIGINT')
    const explain = () => print('Ctrl-C again cancels the run; a third one exits without waiting')
    hint = clock.startTimer(explain, HINT_MS).unref()
    run.signal('SIGINT').catch(() => {}) // the run has ended or not started yet; a second Ctrl-C cancels it
  }
  /** Never rejects. */
  const end = async (signal: NodeJS.Signals) => {
    if (canceledBy === signal) return leave()
    const isConfirmed = await Promise.race([cancel(signal), sleep(CONFIRM_MS, false, { ref: false })])
    if (!isConfirmed) leave()
  }
  const onEnding = (signal: NodeJS.Signals) => {
    received.push(signal)
    void end(signal)
  }
  process.on('SIGINT', press)
  for (const signal of endings) process.on(signal, onEnding)
  return {
    isRunning: () => void (runs = true),
    canceledBy: () => canceledBy,
    received: (name) => received.find((signal) => signal === name),
    stop: () => {
      hint?.stop()
      process.off('SIGINT', press)
      for (const signal of endings) process.off(signal, onEnding)
    },
  }
}
