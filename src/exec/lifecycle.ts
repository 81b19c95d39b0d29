import { endings, type RunStatus } from '../schema/index.ts'

/** The allowed steps of a run; every run takes exactly one ending. */
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

/** A run's steps so far. It has taken none until it is prepared. */
export class Lifecycle {
  /** every status so far, oldest first */
  readonly taken: RunStatus[] = []
  #waiting: (() => void)[] = []

  /** the last of them */
  get status(): RunStatus {
    return this.taken.at(-1) ?? 'queued'
  }

  /** Takes a step; throws when the table does not allow it (our own bug). */
  to(next: RunStatus): void {
    const last = this.taken.at(-1)
    const isAllowed = last === undefined ? next === 'queued' : steps[last].includes(next)
    if (!isAllowed) throw new Error(`a run cannot go from ${last} to ${next}`)
    this.taken.push(next)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Resolves at the next step. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }
}
