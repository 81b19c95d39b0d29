import { type Clock, createPromise } from '../../shared/async/index.ts'
import { ShellphoneError } from '../../shared/schema/index.ts'

/** Commands of one session that may wait. */
const MAX_WAITING = 16

/** The place of a command in the order of its session. */
export interface Place {
  /** whether it is this command's turn */
  isFirst(): boolean
  /** Resolves when it is this command's turn, when `canceled` aborts, or after `patienceMs`. */
  wait(limits: WaitLimits): Promise<void>
  /** Names the run of the command. */
  began(run: string): void
  /** Ends the turn, or the wait for it. */
  leave(): void
}

/** `patienceMs` null: without a limit. */
interface WaitLimits {
  clock: Clock
  patienceMs: number | null
  canceled: AbortSignal
}

/** Lets one command of a session run at a time, in the order of arrival. */
export interface Order {
  /** Appends a command. Throws POOL_FULL if too many wait. */
  join(): Place
  /** The run that has the turn; null: its command has not become a run yet. */
  current(): string | null
  isBusy(): boolean
  waiting(): number
}

interface Entry {
  run: string | null
  begin(): void
}

export function createOrder(name: string): Order {
  const entries: Entry[] = []
  const waiting = () => Math.max(0, entries.length - 1)
  function leave(entry: Entry): void {
    const at = entries.indexOf(entry)
    if (at < 0) return
    entries.splice(at, 1)
    if (at === 0) entries[0]?.begin()
  }
  return {
    join() {
      if (waiting() >= MAX_WAITING)
        throw sessionFull(`${waiting()} commands of the session ${name} are already waiting`)
      const { promise, resolve } = createPromise<void>()
      const entry: Entry = { run: null, begin: resolve }
      entries.push(entry)
      return {
        async wait({ clock, patienceMs, canceled }) {
          if (canceled.aborted) return
          const timer = patienceMs === null ? null : clock.startTimer(resolve, patienceMs)
          canceled.addEventListener('abort', () => resolve(), { once: true })
          await promise
          timer?.stop()
        },
        isFirst: () => entries[0] === entry,
        began: (run) => void (entry.run = run),
        leave: () => leave(entry),
      }
    },
    current: () => entries[0]?.run ?? null,
    isBusy: () => entries.length > 0,
    waiting,
  }
}

const sessionFull = (why: string) =>
  new ShellphoneError('POOL_FULL', `session: ${why}`, { field: 'session', retryAfterSeconds: 5 })

/** The error of a command that got no turn in time. `run`: the one that has the turn; null: it has not begun yet. */
export const sessionBusy = (name: string, run: string | null): ShellphoneError =>
  sessionFull(
    run === null
      ? `${name} is busy; try again, or use another session`
      : `${name} is busy with the run ${run}; wait for its end or cancel it, then try again, or use another session`,
  )
