import type { CancelSignal, Child, TreeEnd } from '../schema/index.ts'

/** Why a run was ended by us. */
export type StopReason = 'timed_out' | 'canceled'

/** Ends one run's tree at its deadline or when it is cancelled, whichever comes first, and only once. */
export interface Stop {
  reason(): StopReason | null
  /** resolves, with what was achieved, when a stop that was begun is over */
  readonly done: Promise<TreeEnd>
  /** resolves when the run was asked to stop, in time or after `disarm` */
  readonly asked: Promise<void>
  /** the shell has exited by itself: from now on a stop ends nothing */
  disarm(): void
  /** the run is over */
  clear(): void
}

interface StopRules {
  timeoutMs: number
  killGraceMs: number
  signal: CancelSignal
  /** the pool's own way to cancel: registers a function, returns its removal */
  onClose: (cancel: (graceMs: number) => void) => () => void
}

export function createStop(child: Child, { timeoutMs, killGraceMs, signal, onClose }: StopRules): Stop {
  let reason: StopReason | null = null
  let armed = true
  let settle: (end: TreeEnd) => void
  let ask: () => void
  const done = new Promise<TreeEnd>((resolve) => {
    settle = resolve
  })
  const asked = new Promise<void>((resolve) => {
    ask = resolve
  })
  function stop(why: StopReason, graceMs: number) {
    ask()
    if (!armed || reason !== null) return
    reason = why
    child.end(graceMs).then(settle)
  }
  const cancel = () => stop('canceled', killGraceMs)
  const timer = setTimeout(stop, timeoutMs, 'timed_out', killGraceMs)
  signal.addEventListener('abort', cancel)
  const removeOnClose = onClose((graceMs) => stop('canceled', graceMs))
  if (signal.aborted) cancel()
  return {
    reason: () => reason,
    done,
    asked,
    disarm: () => {
      armed = false
    },
    clear: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      removeOnClose()
    },
  }
}
