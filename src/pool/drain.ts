import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Child } from '../schema/index.ts'
import type { Output } from './output.ts'

/** output is over when nothing has come for so long */
const quietMs = 30

/** Waits for `promise`, at most `ms`; true when it settled in time. The timer does not outlive the wait. */
export function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false)
    promise.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}

/**
 * Reads on after the shell has exited: until both pipes are closed (true), or nothing came for 30 ms or `drainMs` are over (false).
 * Time in which the sink holds the reading up does not count, up to `deadline` (performance.now()), or until `giveUp`.
 */
export async function drain(
  child: Child,
  output: Output,
  drainMs: number,
  deadline: number,
  giveUp: Promise<unknown>,
): Promise<boolean> {
  let end = performance.now() + drainMs
  for (let now = performance.now(), quietSince = now; ; now = performance.now()) {
    const taken = output.taken
    if (taken) {
      if (!(await within(Promise.race([taken, child.closed, giveUp]), Math.max(0, deadline - now)))) return false
      if (output.taken === taken) return within(child.closed, 0)
      end += performance.now() - now
      quietSince = performance.now()
      continue
    }
    quietSince = Math.max(quietSince, output.lastAt)
    if (await within(child.closed, Math.max(0, Math.min(quietSince + quietMs, end) - now))) return true
    // a timer fires before the pipes are read where this thread was busy: let them be read once
    await nextTurn()
    await nextTurn()
    if (output.taken === null && (output.lastAt <= quietSince || performance.now() >= end)) {
      return within(child.closed, 0)
    }
  }
}
