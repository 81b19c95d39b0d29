/** A promise with its resolve and reject functions. */
export function createPromise<T>() {
  let resolve!: (value: T | PromiseLike<T>) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** Lets callers wait for a change. */
export class ChangeNotifier {
  #wakes: (() => void)[] = []

  /** Resolves at the next call of `wake`. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#wakes.push(resolve))
  }

  /** Resolves all pending promises of `changed`. */
  wake(): void {
    for (const wake of this.#wakes.splice(0)) wake()
  }
}
