import { join } from 'node:path'
import { awakeClock, type Timer } from '../../shared/async/index.ts'
import type { PendingApproval, ToolEnd } from '../../shared/schema/index.ts'
import type { Buttons } from './buttons.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { notificationArgs, notificationId } from './notification.ts'
import { createScreen } from './screen.ts'

/** Each call of Termux:API needs 2 to 4 of the 32 processes that Android allows for all apps together. */
const MAX_IN_FLIGHT = 2
const MAX_FAILURES = 3
const PROBE = 'probe'

/** The pending approval requests. */
export interface ApprovalSource {
  /** returns the pending requests, oldest first */
  pending(): PendingApproval[]
  /** returns the nonces with which buttons answer one request; null if it is no longer pending */
  buttons(id: string): { approve: string; deny: string } | null
  /** calls back whenever a request is added or decided; returns a function that unsubscribes */
  subscribe(changed: () => void): () => void
}

export interface NotifierParts {
  approvals: ApprovalSource
  /** the folder of termux-notification and termux-notification-remove */
  toolFolder: string
  buttons: Buttons
  /** runs a tool with a time limit; aborting the signal kills it */
  run(argv: string[], signal: AbortSignal): Promise<ToolEnd>
  /** whether to check at the start that Termux:API responds */
  probe: boolean
  /** pause after three failures in a row */
  restMs: number
  log(facts: Record<string, unknown>, sentence: string): void
}

export interface Notifier {
  /** returns warnings for the owner, which /health shows */
  warnings(): string[]
  /** Removes all notifications within `graceMs`, then kills calls that hang. */
  close(graceMs: number): Promise<void>
}

/** One call of Termux:API about one approval request. */
interface Task {
  id: string
  argv: string[]
  done(succeeded: boolean): void
}

/**
 * Keeps the phone's notifications in sync with the pending approvals. Needs no queue: after each change it compares the pending approvals
 * with the notifications that may be on the screen, and makes the next calls, at most two at once.
 */
export function createNotifier(parts: NotifierParts): Notifier {
  const { approvals, log } = parts
  const breaker = createCircuitBreaker(MAX_FAILURES, parts.restMs, Date.now)
  const nextTask = createTasks(parts)
  const calls = new Map<string, Promise<void>>()
  const kill = new AbortController()
  let closing = false
  let warning: string | null = null
  let timer: Timer | undefined

  /** Starts the calls that can start now. */
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
    warning = succeeded ? null : describe(end)
    if (succeeded) return
    const { ending, exitCode, stderr } = end
    const cause = ending === 'not_started' ? { why: stderr } : {}
    log({ ending, exit_code: exitCode, rest_ms: breaker.restMs(), ...cause }, 'Termux:API failed')
  }

  const stop = approvals.subscribe(() => setImmediate(work))
  work()
  return {
    warnings: () => (warning === null ? [] : [warning]),
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

/** Returns the next call, if any: first removals, then the probe, then the oldest request that is not shown. */
function createTasks({ approvals, toolFolder, buttons, probe }: NotifierParts) {
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

  function display(approval: PendingApproval): Task | undefined {
    const { id } = approval
    const nonces = approvals.buttons(id)
    if (!nonces) return undefined
    screen.attempted(id)
    const actions = buttons.actions(id, nonces)
    const argv = [join(toolFolder, 'termux-notification'), ...notificationArgs(approval, actions)]
    return { id, argv, done: (succeeded) => void (succeeded && screen.shown(id)) }
  }

  return (isBusy: (id: string) => boolean, closing: boolean): Task | undefined => {
    const pending = approvals.pending()
    buttons.keep(closing ? [] : pending.map(({ id }) => id))
    const isStale = (id: string) => closing || !pending.some((approval) => approval.id === id)
    const stale = screen.ids().find((id) => !isBusy(id) && isStale(id))
    if (stale !== undefined) return removal(stale)
    if (closing) return undefined
    if (probing) return isBusy(PROBE) ? undefined : firstProbe()
    const fresh = pending.find(({ id }) => !isBusy(id) && !screen.isShown(id) && screen.hasCapacity(id))
    return fresh && display(fresh)
  }
}

function describe({ ending, exitCode }: ToolEnd): string {
  const failures = {
    exited: `failed with exit code ${exitCode}`,
    killed: 'did not respond in time',
    not_started: 'could not be started',
  }
  return `Termux:API ${failures[ending]}: approval requests may not appear as notifications. Check that the app Termux:API and the package termux-api are installed.`
}
