/** What a run needs of an AbortSignal; any of those will do. */
export interface CancelSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** An AbortController for every run: Node's own costs as much as all else that the pool does for a short command. */
export class CancelController implements CancelSignal {
  aborted = false
  reason: unknown
  readonly signal: CancelSignal = this
  readonly #listeners = new Set<() => void>()

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener)
  }

  abort(reason?: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }
}
