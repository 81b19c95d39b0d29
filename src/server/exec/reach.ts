import { access } from 'node:fs/promises'
import { awakeClock, type Clock, createPromise, Deadline } from '../../shared/async/index.ts'

/** A file system that takes longer to respond counts as hung. */
const ANSWER_MS = 5000
/** Maximum concurrent checks, because each hung file system blocks one of the four threads that Node uses for file access. */
const MAX_CHECKS = 2

/** Returns whether the file system of a path responds, even if the path does not exist. */
export type Reach = (path: string) => Promise<boolean>

/** Checks at most `most` paths at once; the others wait. */
function createLane(most: number, ask: (path: string) => Promise<unknown>, clock: Clock): Reach {
  const waiting = new Set<() => void>()
  let asked = 0
  async function answer(path: string): Promise<void> {
    asked++
    await ask(path).catch(() => {}) // an error is also a response
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
 * Checks file systems on other threads, so that the event loop accesses only paths that have responded. A hung mount (network, dead FUSE)
 * delays the commands that name it. Two hung mounts delay every command that names a directory other than `usual` by at most 5 s.
 */
export function createReach(usual: () => string, ask = (path: string) => access(path), clock = awakeClock): Reach {
  const [own, named] = [createLane(1, ask, clock), createLane(MAX_CHECKS, ask, clock)]
  return (path) => (path === usual() ? own(path) : named(path))
}
