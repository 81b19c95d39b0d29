/** Many wait, one opens; who comes later waits for the next opening. */
export interface Gate {
  wait(): Promise<void>
  open(): void
}

export const createGate = (): Gate => {
  let resolve: () => void = () => undefined
  let waiting: Promise<void> | null = null
  return {
    wait: () => {
      waiting ??= new Promise((done) => {
        resolve = done
      })
      return waiting
    },
    open: () => {
      waiting = null
      resolve()
    },
  }
}
