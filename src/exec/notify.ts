import { join } from 'node:path'
import type { ToolEnd } from '../spawn/index.ts'
import type { Approvals } from '../store/index.ts'
import { createBreaker } from './breaker.ts'
import { type Buttons, notificationArgs, notificationId } from './notification.ts'

/** Each call of Termux:API costs 2 to 4 processes, of the 32 that Android allows all apps together. */
const MAX_IN_FLIGHT = 2
/** Android shows few of one app at once; further questions are answered elsewhere, or move up. */
const MAX_SHOWN = 16
const MAX_FAILURES = 3
const MAX_REMOVALS = 2
const PROBE = 'probe'

export interface NotifierParts {
  approvals: Approvals
  /** the folder of termux-notification and termux-notification-remove */
  toolFolder: string
  buttons(): Buttons
  /** runs a tool, bounded in time; aborting the signal kills it */
  run(argv: string[], signal: AbortSignal): Promise<ToolEnd>
  /** whether to see at the start if Termux:API is there at all */
  probe: boolean
  /** after three failures in a row nothing is tried for so long */
  restMs: number
  log(facts: Record<string, unknown>, sentence: string): void
}

export interface Notifier {
  /** what the owner should know, for /health */
  warnings(): string[]
  /** Removes what is shown, within `graceMs`; then kills what hangs. */
  close(graceMs: number): Promise<void>
}

/** One call of Termux:API about one question. */
interface Task {
  id: string
  argv: string[]
  done(succeeded: boolean): void
}

/**
 * Keeps the phone's notifications as the questions are. There is no queue: whenever something changes it looks at what waits and at
 * what may be on the screen, and does the next thing, two at once.
 */
export function createNotifier(parts: NotifierParts): Notifier {
  const { approvals, toolFolder, log } = parts
  const breaker = createBreaker(MAX_FAILURES, parts.restMs, Date.now)
  const screen = createScreen()
  const calls = new Map<string, Promise<void>>()
  const kill = new AbortController()
  let probing = parts.probe
  let closing = false
  let trouble: string | null = null
  let timer: NodeJS.Timeout | undefined

  function nextTask(): Task | undefined {
    const waiting = approvals.pending().map(({ id }) => id)
    const isFree = (id: string) => !calls.has(id)
    const stale = screen.ids().find((id) => isFree(id) && (closing || !waiting.includes(id)))
    if (stale !== undefined) return removal(stale)
    if (closing) return undefined
    if (probing) return probe()
    const fresh = waiting.find((id) => isFree(id) && !screen.isShown(id) && screen.hasRoom(id))
    return fresh === undefined ? undefined : showing(fresh)
  }

  function removal(id: string): Task {
    const argv = [join(toolFolder, 'termux-notification-remove'), notificationId(id)]
    return { id, argv, done: (succeeded) => screen.removed(id, succeeded) }
  }

  function probe(): Task | undefined {
    const done = () => {
      probing = false
    }
    return calls.has(PROBE) ? undefined : { ...removal(PROBE), id: PROBE, done }
  }

  function showing(id: string): Task | undefined {
    const approval = approvals.pending().find((one) => one.id === id)
    const nonces = approvals.buttons(id)
    if (!approval || !nonces) return undefined
    screen.attempted(id)
    const args = notificationArgs(approval, nonces, parts.buttons())
    const done = (succeeded: boolean) => void (succeeded && screen.shown(id))
    return { id, argv: [join(toolFolder, 'termux-notification'), ...args], done }
  }

  /** Starts what can be started now. */
  function work(): void {
    clearTimeout(timer)
    while (calls.size < MAX_IN_FLIGHT && !kill.signal.aborted) {
      const restMs = breaker.restMs()
      if (restMs > 0) {
        timer = setTimeout(work, restMs).unref()
        return
      }
      const task = nextTask()
      if (!task) return
      calls.set(task.id, call(task))
    }
  }

  async function call({ id, argv, done }: Task): Promise<void> {
    const end = await parts.run(argv, kill.signal)
    const succeeded = end.ending === 'exited' && end.exitCode === 0
    calls.delete(id)
    done(succeeded)
    report(succeeded, end)
    work()
  }

  function report(succeeded: boolean, { ending, exitCode, stderr }: ToolEnd): void {
    if (kill.signal.aborted) return
    breaker.report(succeeded)
    trouble = succeeded ? null : describe(ending, exitCode)
    if (succeeded) return
    const why = ending === 'not_started' ? { why: stderr } : {}
    log({ ending, exit_code: exitCode, rest_ms: breaker.restMs(), ...why }, 'Termux:API failed')
  }

  const stop = approvals.subscribe(() => setImmediate(work))
  work()
  return {
    warnings: () => (trouble === null ? [] : [trouble]),
    async close(graceMs) {
      closing = true
      stop()
      const deadline = setTimeout(() => kill.abort(), graceMs)
      work()
      while (calls.size > 0) await Promise.all(calls.values())
      clearTimeout(deadline)
      clearTimeout(timer)
    },
  }
}

function describe(ending: ToolEnd['ending'], exitCode: number | null): string {
  const what = {
    exited: `failed (exit code ${exitCode})`,
    killed: 'did not answer in time',
    not_started: 'could not be started',
  }
  return `Termux:API ${what[ending]}: questions may not show as notifications; are the app and the package termux-api installed?`
}

/** What may be on the phone's screen: also what a failed attempt may have left there. Bounded. */
function createScreen() {
  const known = new Map<string, { isShown: boolean; removals: number }>()
  return {
    ids: () => [...known.keys()],
    isShown: (id: string) => known.get(id)?.isShown ?? false,
    hasRoom: (id: string) => known.has(id) || known.size < MAX_SHOWN,
    attempted: (id: string) => void known.set(id, { isShown: false, removals: 0 }),
    shown: (id: string) => void known.set(id, { isShown: true, removals: 0 }),
    /** What could not be removed twice is forgotten: its buttons lead nowhere any more. */
    removed(id: string, succeeded: boolean): void {
      const one = known.get(id)
      if (one && (succeeded || ++one.removals >= MAX_REMOVALS)) known.delete(id)
    },
  }
}
