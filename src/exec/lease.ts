import type { CancelSignal } from '../schema/index.ts'

/** Who watches a run in the background; `expire` is called when nobody has for `ms`. */
export class Lease {
  #present = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    private readonly ms: number,
    private readonly expire: () => void,
  ) {}

  /** Somebody is there until `gone` aborts. */
  hold(gone: CancelSignal): void {
    clearTimeout(this.#timer)
    this.#present++
    if (gone.aborted) this.#leave()
    else gone.addEventListener('abort', () => this.#leave())
  }

  /** The run has ended. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #leave(): void {
    if (--this.#present === 0 && !this.#isClosed) this.#timer = setTimeout(this.expire, this.ms)
  }
}
