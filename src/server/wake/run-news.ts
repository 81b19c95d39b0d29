import { awakeClock, ChangeNotifier, type Clock, within } from '../../shared/async/index.ts'
import type { Executor } from '../exec/index.ts'
import type { Who } from '../../shared/schema/index.ts'

/** Maximum number of ended runs that wait to be reported, per token and in all. The oldest are forgotten first. */
const MAX_OF_TOKEN = 64
const MAX_ENDED = 4096

type Run = Parameters<Parameters<Executor['watch']>[0]>[0]

/**
 * A live run. `isBackground`: a tool call of MCP began it and has returned a handle. `reported`: the approval request that its token already
 * knows.
 */
interface LiveRun {
  run: Run
  isBackground: boolean
  reported: string | null
}

/** Reports each background run of MCP to its token: when it needs approval, and when it has ended, each once. */
export interface RunNews {
  /**
   * Resolves with the id of a background run of this token that has ended or needs approval, and that has not been reported. Resolves with
   * the ids of the live ones if there is no such run within `ms` milliseconds, or the caller disconnects, or there are none to wait for.
   */
  next(who: Who, ms: number, gone: AbortSignal): Promise<string | { live: string[] }>
  /** The call that began the run returns a handle, which has its state so far. `isEnded`: it ended before its caller could see that. */
  handOver(id: string, who: Who, isEnded: boolean): void
  /** Another call has waited for the run, and returns its state so far. */
  waited(id: string, who: Who): void
  /** The token has the result of the run. */
  seen(id: string): void
}

/** Creates the news of the runs that begin from now on. */
export function createRunNews(
  { watch, approvals }: Pick<Executor, 'watch' | 'approvals'>,
  clock: Clock = awakeClock,
): RunNews {
  const live = new Map<string, LiveRun>()
  const ended = createEnded()
  const changes = new ChangeNotifier()
  const end = (run: Run) => {
    if (live.get(run.id)?.isBackground) ended.add(run.id, run.who.id)
    live.delete(run.id)
    changes.wake()
  }
  watch((run) => {
    live.set(run.id, { run, isBackground: false, reported: null })
    void Promise.allSettled([run.finished]).then(() => end(run))
  })
  approvals.subscribe(() => changes.wake())

  const ofToken = (who: Who) =>
    [...live.values()].filter(({ run, isBackground }) => isBackground && run.who.id === who.id)
  const take = (who: Who): string | null => {
    const asked = ofToken(who).find(({ run, reported }) => run.waitsFor !== null && run.waitsFor.id !== reported)
    if (asked === undefined) return ended.take(who.id)
    asked.reported = asked.run.waitsFor!.id
    return asked.run.id
  }
  return {
    async next(who, ms, gone) {
      const endMs = clock.now() + ms
      const wake = () => changes.wake()
      gone.addEventListener('abort', wake)
      try {
        for (;;) {
          const change = changes.changed()
          const id = gone.aborted ? null : take(who)
          if (id !== null) return id
          const ids = ofToken(who).map(({ run }) => run.id)
          const leftMs = endMs - clock.now()
          if (ids.length === 0 || gone.aborted || leftMs <= 0) return { live: ids }
          await within(change, leftMs, clock)
        }
      } finally {
        gone.removeEventListener('abort', wake)
      }
    },
    handOver(id, who, isEnded) {
      const entry = live.get(id)
      if (entry) Object.assign(entry, { isBackground: true, reported: entry.run.waitsFor?.id ?? null })
      else if (isEnded) ended.add(id, who.id)
    },
    waited(id, who) {
      const entry = live.get(id)
      if (entry?.run.who.id === who.id) entry.reported = entry.run.waitsFor?.id ?? null
    },
    seen(id) {
      Object.assign(live.get(id) ?? {}, { isBackground: false }) // its end may not have been noticed yet
      ended.remove(id)
    },
  }
}

/** The ids of ended runs that have not been reported, oldest first, with the ids of their tokens. */
function createEnded() {
  const ended = new Map<string, string>()
  const oldestOf = (token: string) => [...ended].find(([, owner]) => owner === token)?.[0]
  const countOf = (token: string) => [...ended.values()].filter((owner) => owner === token).length
  return {
    add(id: string, token: string) {
      ended.set(id, token)
      if (countOf(token) > MAX_OF_TOKEN) ended.delete(oldestOf(token)!)
      if (ended.size > MAX_ENDED) ended.delete(ended.keys().next().value!)
    },
    take(token: string): string | null {
      const id = oldestOf(token) ?? null
      if (id !== null) ended.delete(id)
      return id
    },
    remove: (id: string) => void ended.delete(id),
  }
}
