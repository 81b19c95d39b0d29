import { awakeClock, type Timer } from '../../shared/async/index.ts'

/** Counts the watchers of a background run. Calls `expire` when the run has had no watcher for `ms`. */
export class Lease {
  #present = 0
  #timer: Timer | undefined
  #isClosed = false

  constructor(
    private readonly ms: number,
    private readonly expire: () => void,
    private readonly clock = awakeClock,
  ) {}

  /** Counts one watcher until `gone` aborts. */
  hold(gone: AbortSignal): void {
    this.#timer?.stop()
    this.#present++
    if (gone.aborted) this.#leave()
    else gone.addEventListener('abort', () => this.#leave())
  }

  /** Stops the lease because the run has ended. */
  close(): void {
    this.#isClosed = true
    this.#timer?.stop()
  }

  #leave(): void {
    if (--this.#present === 0 && !this.#isClosed) this.#timer = this.clock.startTimer(this.expire, this.ms)
  }
}
