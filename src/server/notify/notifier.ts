import { join } from 'node:path'
import { awakeClock, type Timer } from '../../shared/async/index.ts'
import type { PendingApproval, ToolEnd } from '../../shared/schema/index.ts'
import type { Buttons } from './buttons.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { notificationArgs, notificationId } from './notification.ts'
import { createScreen } from './screen.ts'

/** Each call of Termux:API costs 2 to 4 processes, of the 32 that Android allows all apps together. */
const MAX_IN_FLIGHT = 2
const MAX_FAILURES = 3
const PROBE = 'probe'

/** The questions that wait for a person. */
export interface Questions {
  /** oldest first */
  pending(): PendingApproval[]
  /** the words that answer one question by a button; null when it waits no longer */
  buttons(id: string): { approve: string; deny: string } | null
  /** calls back whenever a question comes or goes, until the returned function is called */
  subscribe(changed: () => void): () => void
}

export interface NotifierParts {
  questions: Questions
  /** the folder of termux-notification and termux-notification-remove */
  toolFolder: string
  buttons: Buttons
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
  const { questions, log } = parts
  const breaker = createCircuitBreaker(MAX_FAILURES, parts.restMs, Date.now)
  const nextTask = createTasks(parts)
  const calls = new Map<string, Promise<void>>()
  const kill = new AbortController()
  let closing = false
  let trouble: string | null = null
  let timer: Timer | undefined

  /** Starts what can be started now. */
  function work(): void {
    timer?.stop()
    while (calls.size < MAX_IN_FLIGHT && !kill.signal.aborted) {
      const restMs = breaker.restMs()
      if (restMs > 0) {
        timer = awakeClock.startTimer(work, restMs).unref()
        return
      }
      const task = nextTask((id) => calls.has(id), closing)
      if (!task) return
      calls.set(task.id, call(task))
    }
  }

  async function call({ id, argv, done }: Task): Promise<void> {
    const end = await parts.run(argv, kill.signal)
    const succeeded = end.ending === 'exited' && end.exitCode === 0
    calls.delete(id)
    done(succeeded)
    if (!kill.signal.aborted) report(succeeded, end)
    work()
  }

  function report(succeeded: boolean, end: ToolEnd): void {
    breaker.report(succeeded)
    trouble = succeeded ? null : describe(end)
    if (succeeded) return
    const { ending, exitCode, stderr } = end
    const why = ending === 'not_started' ? { why: stderr } : {}
    log({ ending, exit_code: exitCode, rest_ms: breaker.restMs(), ...why }, 'Termux:API failed')
  }

  const stop = questions.subscribe(() => setImmediate(work))
  work()
  return {
    warnings: () => (trouble === null ? [] : [trouble]),
    async close(graceMs) {
      closing = true
      stop()
      const deadline = awakeClock.startTimer(() => kill.abort(), graceMs)
      work()
      while (calls.size > 0) await Promise.all(calls.values())
      deadline.stop()
      timer?.stop()
    },
  }
}

/** What is to be done next, if anything: what is stale goes first, then the probe, then the oldest question that is not shown. */
function createTasks({ questions, toolFolder, buttons, probe }: NotifierParts) {
  const screen = createScreen()
  let probing = probe

  function removal(id: string): Task {
    const argv = [join(toolFolder, 'termux-notification-remove'), notificationId(id)]
    return { id, argv, done: (succeeded) => screen.removed(id, succeeded) }
  }

  function firstProbe(): Task {
    const done = () => {
      probing = false
    }
    return { ...removal(PROBE), done }
  }

  function showing(question: PendingApproval): Task | undefined {
    const { id } = question
    const nonces = questions.buttons(id)
    if (!nonces) return undefined
    screen.attempted(id)
    const actions = buttons.actions(id, nonces)
    const argv = [join(toolFolder, 'termux-notification'), ...notificationArgs(question, actions)]
    return { id, argv, done: (succeeded) => void (succeeded && screen.shown(id)) }
  }

  return (isBusy: (id: string) => boolean, closing: boolean): Task | undefined => {
    const waiting = questions.pending()
    buttons.keep(closing ? [] : waiting.map(({ id }) => id))
    const isStale = (id: string) => closing || !waiting.some((question) => question.id === id)
    const stale = screen.ids().find((id) => !isBusy(id) && isStale(id))
    if (stale !== undefined) return removal(stale)
    if (closing) return undefined
    if (probing) return isBusy(PROBE) ? undefined : firstProbe()
    const fresh = waiting.find(({ id }) => !isBusy(id) && !screen.isShown(id) && screen.hasRoom(id))
    return fresh && showing(fresh)
  }
}

function describe({ ending, exitCode }: ToolEnd): string {
  const what = {
    exited: `failed (exit code ${exitCode})`,
    killed: 'did not answer in time',
    not_started: 'could not be started',
  }
  return `Termux:API ${what[ending]}: questions may not show as notifications; are the app and the package termux-api installed?`
}
