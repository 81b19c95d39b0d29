/** What every run makes one of, or enters: V8's and Node's own cost more than all else that is done for a short command. */

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

interface Cell<V> {
  value: V | null
}

/**
 * A Map for what comes and goes all the time. V8 keeps the outgrown tables of a busy Map until the next full collection, and with
 * them whatever lay in them: each run, with all its buffers, would grow old after it has ended. Here an entry is emptied when it goes.
 */
export class Registry<K, V extends object> {
  readonly #cells = new Map<K, Cell<V>>()

  get size(): number {
    return this.#cells.size
  }

  has(key: K): boolean {
    return this.#cells.has(key)
  }

  get(key: K): V | undefined {
    return this.#cells.get(key)?.value ?? undefined
  }

  set(key: K, value: V): void {
    this.delete(key)
    this.#cells.set(key, { value })
  }

  delete(key: K): void {
    const cell = this.#cells.get(key)
    if (cell === undefined) return
    cell.value = null
    this.#cells.delete(key)
  }

  keys(): K[] {
    return [...this.#cells.keys()]
  }

  /** All of them now, the one that was set first before the others. */
  values(): V[] {
    return [...this.#cells.values()].flatMap(({ value }) => value ?? [])
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key)
  }
}
