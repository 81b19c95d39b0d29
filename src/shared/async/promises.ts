/** A promise, and what settles it. */
export function createPromise<T>() {
  let resolve!: (value: T | PromiseLike<T>) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** What others wait for to change. */
export class Changing {
  #wakes: (() => void)[] = []

  /** Resolves at the next change, or where somebody may have to look. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#wakes.push(resolve))
  }

  /** Lets whoever waits for a change look. */
  wake(): void {
    for (const wake of this.#wakes.splice(0)) wake()
  }
}
