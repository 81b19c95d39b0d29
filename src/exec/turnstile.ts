/**
 * Lets one through in each turn of the event loop, in the order they came. Watchers pass it before each piece of output, so
 * that however many there are, the pipes of the commands are read in between: watching does not slow what is watched.
 * Requests pass one before they start a command.
 */
export function createTurnstile(): () => Promise<void> {
  const waiting: (() => void)[] = []
  let isTurning = false

  function turn(): void {
    const next = waiting.shift()
    isTurning = next !== undefined
    next?.()
    if (isTurning) setImmediate(turn)
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (isTurning) return
      isTurning = true
      setImmediate(turn)
    })
}
