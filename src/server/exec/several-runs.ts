import type { ToolResult } from '../dialects/index.ts'
import type { DialectAnswer } from '../../shared/schema/index.ts'
import type { Watched } from './run.ts'

/** A tool call with several commands: a run each, one after the other. */
export interface SeveralRuns {
  /** Resolves with the run that follows this one, once it has begun; null: no further run will begin. */
  next(run: Watched): Promise<Watched | null>
  /** whether the last run has ended */
  isOver(): boolean
  /** resolves with the reply to the call, once its last run has ended */
  answer(): Promise<DialectAnswer>
}

/**
 * Begins the further runs of a call, each when the one before it has ended. A command that timed out, was canceled or did not run is the last
 * one. `begin`: begins a further run, counted from 1.
 */
export function followRuns(
  first: Watched,
  further: number,
  begin: (at: number) => Promise<Watched>,
  resultOf: (run: Watched) => Promise<ToolResult>,
  gone: AbortSignal,
) {
  const results: ToolResult[] = []
  const following = new Map<string, Promise<Watched | null>>()
  const follow = async (run: Watched, at: number): Promise<Watched | null> => {
    const result = await resultOf(run)
    results.push(result)
    if (at > further || gone.aborted || !hasExited(result)) return null
    const next = await begin(at)
    following.set(next.id, follow(next, at + 1))
    return next
  }
  following.set(first.id, follow(first, 1))
  const next = (run: Watched) => following.get(run.id) ?? Promise.resolve(null)
  const allResults = async () => {
    for (let run: Watched | null = first; run !== null;) run = await next(run)
    return results
  }
  let isOver = false
  const all = allResults().finally(() => (isOver = true))
  all.catch(() => {}) // the callers that wait for the reply receive the error
  return { next, isOver: () => isOver, results: all }
}

const hasExited = (result: ToolResult) =>
  'ended' in result && (result.ended.status === 'completed' || result.ended.status === 'failed')

/** The calls with several commands, by the id of their first run. */
export interface Calls {
  add(id: string, call: SeveralRuns): void
  of(id: string): SeveralRuns | undefined
}

/** Maximum number of calls that are remembered after their end; the oldest are forgotten first. */
const MAX_ENDED = 64

/** Creates the list of the calls in progress, and of the last ones that have ended. */
export function createCalls(): Calls {
  const calls = new Map<string, SeveralRuns>()
  const ended: string[] = []
  const end = (id: string) => {
    ended.push(id)
    if (ended.length > MAX_ENDED) calls.delete(ended.shift()!)
  }
  return {
    add(id, call) {
      calls.set(id, call)
      call.answer().then(
        () => end(id),
        () => end(id),
      )
    },
    of: (id) => calls.get(id),
  }
}
