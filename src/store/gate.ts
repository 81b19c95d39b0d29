/** Many wait, one opens; who comes later waits for the next opening. */
export class Gate {
  #waiting: Promise<void> | null = null
  #resolve = (): void => {}

  wait(): Promise<void> {
    this.#waiting ??= new Promise((resolve) => {
      this.#resolve = resolve
    })
    return this.#waiting
  }

  open(): void {
    this.#waiting = null
    this.#resolve()
  }
}
