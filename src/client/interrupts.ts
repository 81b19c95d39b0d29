import type { Run } from '../sdk/index.ts'

/** What comes from the keyboard, and from who ends us. */
interface Interrupts {
  /** the last signal for which the run was canceled */
  canceledBy(): NodeJS.Signals | undefined
  stop(): void
}

const endings = ['SIGTERM', 'SIGHUP'] as const

/** First Ctrl-C: the command is interrupted. Second: it is canceled, with all that it started. Third: `leave`. SIGTERM and SIGHUP cancel at once. */
export function onInterrupts(run: Run, tell: (line: string) => void, leave: () => void): Interrupts {
  let presses = 0
  let canceledBy: NodeJS.Signals | undefined
  const cancel = (signal: NodeJS.Signals) => {
    if (canceledBy) return
    canceledBy = signal
    run.cancel().catch((error) => tell(`could not be canceled: ${error.message}`))
  }
  const press = () => {
    presses += 1
    if (presses > 2) return leave()
    if (presses === 2) return cancel('SIGINT')
    tell('interrupted; again: cancel it, a third time: leave it')
    run.signal('SIGINT').catch(() => {}) // it has ended, or has not begun: the second one cancels it
  }
  process.on('SIGINT', press)
  for (const signal of endings) process.on(signal, cancel)
  return {
    canceledBy: () => canceledBy,
    stop: () => {
      process.off('SIGINT', press)
      for (const signal of endings) process.off(signal, cancel)
    },
  }
}
