import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Lets one through in each turn of the event loop, in the order they came. Watchers pass it before each piece of output, so
 * that however many there are, the pipes of the commands are read in between: watching does not slow what is watched.
 * Requests pass one before they start a command.
 */
export function createTurnstile(): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(nextTurn)
    return last
  }
}
