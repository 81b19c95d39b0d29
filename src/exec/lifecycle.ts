import { endings, type RunStatus } from '../schema/index.ts'

/** The allowed steps of a run; every run takes exactly one ending (agent-world's lifecycle, seed 3). */
export const steps: Record<RunStatus, readonly RunStatus[]> = {
  queued: ['starting', 'failed', 'canceled', 'denied'],
  starting: ['running', 'failed', 'canceled'],
  running: ['completed', 'failed', 'timed_out', 'canceled'],
  completed: [],
  failed: [],
  timed_out: [],
  canceled: [],
  denied: [],
}

export const isEnding = (status: RunStatus) => (endings as readonly string[]).includes(status)

export interface Lifecycle {
  /** every status so far, oldest first */
  readonly taken: readonly RunStatus[]
  /** the last of them */
  readonly status: RunStatus
  /** Takes a step; throws when the table does not allow it (our own bug). */
  to(next: RunStatus): void
  /** resolves at the next step */
  changed(): Promise<void>
}

/** A run's steps so far; `onStep` hears of each. */
export function createLifecycle(onStep: (status: RunStatus) => void): Lifecycle {
  const taken: RunStatus[] = ['queued']
  let wake: () => void = () => {}
  let next = new Promise<void>((resolve) => {
    wake = resolve
  })
  const lifecycle = {
    taken,
    status: taken[0]!,
    to(status: RunStatus) {
      if (!steps[this.status].includes(status)) throw new Error(`a run cannot go from ${this.status} to ${status}`)
      taken.push(status)
      this.status = status
      onStep(status)
      wake()
      next = new Promise<void>((resolve) => {
        wake = resolve
      })
    },
    changed: () => next,
  }
  return lifecycle
}
