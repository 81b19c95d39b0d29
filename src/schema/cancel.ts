/** What a run needs of an AbortSignal; any of those will do. */
export interface CancelSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

class Signal implements CancelSignal {
  aborted = false
  reason: unknown
  #listeners: (() => void)[] = []

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener)
  }

  abort(reason?: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    for (const listener of this.#listeners) listener()
    this.#listeners = []
  }
}

/** An AbortController for every run: Node's own costs as much as all else that the pool does for a short command. */
export class CancelController {
  readonly #signal = new Signal()

  get signal(): CancelSignal {
    return this.#signal
  }

  abort(reason?: unknown): void {
    this.#signal.abort(reason)
  }
}
