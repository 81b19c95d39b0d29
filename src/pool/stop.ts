import type { CancelSignal, Child, TreeEnd } from '../schema/index.ts'
import { startLongTimer } from './long-timer.ts'

/** Why a run was ended by us. */
export type StopReason = 'timed_out' | 'canceled'

/** Ends one run's tree at its deadline or when it is cancelled, whichever comes first, and only once. */
export interface Stop {
  reason: StopReason | null
  /** resolves, with what was achieved, when a stop that was begun is over */
  readonly done: Promise<TreeEnd>
  /** resolves when the run was told to stop, in time or after `disarm` */
  readonly told: Promise<void>
  /** the shell has exited by itself: from now on a stop ends nothing */
  disarm(): void
  /** the run is over */
  clear(): void
}

interface StopRules {
  timeoutMs: number
  killGraceMs: number
  signal: CancelSignal
  /** the pool's own way to cancel; its reason is the grace in ms */
  closing: CancelSignal
}

export function createStop(child: Child, { timeoutMs, killGraceMs, signal, closing }: StopRules): Stop {
  let armed = true
  let settle: (end: TreeEnd) => void
  let tell: () => void
  function end(why: StopReason, graceMs: number) {
    tell()
    if (!armed || stop.reason !== null) return
    stop.reason = why
    child.end(graceMs).then(settle)
  }
  const cancel = () => end('canceled', killGraceMs)
  const close = () => end('canceled', Number(closing.reason))
  const stop: Stop = {
    reason: null,
    done: new Promise((resolve) => {
      settle = resolve
    }),
    told: new Promise((resolve) => {
      tell = resolve
    }),
    disarm: () => {
      armed = false
    },
    clear: () => {
      forgetDeadline()
      signal.removeEventListener('abort', cancel)
      closing.removeEventListener('abort', close)
    },
  }
  const forgetDeadline = startLongTimer(() => end('timed_out', killGraceMs), timeoutMs)
  signal.addEventListener('abort', cancel)
  closing.addEventListener('abort', close)
  if (closing.aborted) close()
  if (signal.aborted) cancel()
  return stop
}
