import { access } from 'node:fs/promises'
import { awakeClock, type Clock, createPromise, Deadline } from '../../shared/async/index.ts'

/** A file system that has not answered by then does not. */
const ANSWER_MS = 5000
/** Each that does not answer holds one of Node's four threads for files, for as long as it hangs. */
const MAX_ASKED = 2

/** Whether what the path is on answers at all, be it that nothing is there. */
export type Reach = (path: string) => Promise<boolean>

/** Asks one path after the other, at most `most` at once. */
function createLane(most: number, ask: (path: string) => Promise<unknown>, clock: Clock): Reach {
  const waiting = new Set<() => void>()
  let asked = 0
  async function answer(path: string): Promise<void> {
    asked++
    await ask(path).catch(() => {}) // that nothing is there is an answer
    asked--
    for (const look of waiting) look()
  }
  return async (path) => {
    const deadline = new Deadline(ANSWER_MS, clock)
    while (asked === most) {
      const { promise: change, resolve: look } = createPromise<void>()
      waiting.add(look)
      const isInTime = await deadline.allows(change)
      waiting.delete(look)
      if (!isInTime) return false
    }
    return deadline.allows(answer(path))
  }
}

/**
 * Asks beside the event loop, which looks at a path only where that has answered: a mount that hangs (a network's, a dead FUSE) holds up
 * commands that name it, and when two such hang all that name another directory than the `usual` one. Each waits 5 s at most.
 */
export function createReach(usual: () => string, ask = (path: string) => access(path), clock = awakeClock): Reach {
  const [own, named] = [createLane(1, ask, clock), createLane(MAX_ASKED, ask, clock)]
  return (path) => (path === usual() ? own(path) : named(path))
}
