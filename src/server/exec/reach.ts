import { access } from 'node:fs'
import { promisify } from 'node:util'
import { isWithin } from '../../shared/schema/index.ts'
import { awakeClock, type Clock, createPromise, Deadline } from '../../shared/async/index.ts'

/** A file system that takes longer to respond counts as hung. */
const ANSWER_MS = 5000
/** Maximum concurrent checks, because each hung file system blocks one of the four threads that Node uses for file access. */
const MAX_CHECKS = 2

/** Returns whether the file system of a path responds, even if the path does not exist. */
export type Reach = (path: string) => Promise<boolean>

/** Checks at most `most` paths at once; the others wait. Commands that name the same path share one check. */
function createLane(most: number, ask: (path: string) => Promise<unknown>, clock: Clock): Reach {
  const checks = new Map<string, Promise<void>>()
  const waiting = new Set<() => void>()
  async function check(path: string): Promise<void> {
    await ask(path).catch(() => {}) // an error is also a response
    checks.delete(path)
    for (const look of waiting) look()
  }
  function join(path: string): Promise<void> | null {
    const known = checks.get(path)
    if (known || checks.size === most) return known ?? null
    const started = check(path)
    checks.set(path, started)
    return started
  }
  return async (path) => {
    const deadline = new Deadline(ANSWER_MS, clock)
    for (;;) {
      const joined = join(path)
      if (joined) return deadline.allows(joined)
      const { promise: change, resolve: look } = createPromise<void>()
      waiting.add(look)
      const isInTime = await deadline.allows(change)
      waiting.delete(look)
      if (!isInTime) return false
    }
  }
}

interface ReachOptions {
  /** the directory of commands that name none */
  usual(): string
  /** the service's own directory */
  home: string
  ask?(path: string): Promise<unknown>
  clock?: Clock
}

/**
 * Checks file systems on other threads, so that the event loop accesses only paths that have responded. A hung mount (network, dead FUSE)
 * delays the commands that name it. Two hung mounts delay every command that names a directory other than `usual` by at most 5 s. The
 * directories above `home` are not checked: if one hangs, the service cannot open its own files either.
 */
export function createReach({ usual, home, ask = promisify(access), clock = awakeClock }: ReachOptions): Reach {
  const [own, named] = [createLane(1, ask, clock), createLane(MAX_CHECKS, ask, clock)]
  return async (path) => {
    if (isWithin({ path: home, root: path })) return true
    return path === usual() ? own(path) : named(path)
  }
}
