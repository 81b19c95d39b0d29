import type { PendingApproval } from '../../shared/schema/index.ts'
import type { ApprovalSource, Notifier } from './notifier.ts'

/** A channel that notifies a person who is not at the phone of pending approvals. */
export interface NotifyChannel {
  /** the setting that configures it */
  setting: string
  /** maximum number of approval requests in one call */
  maxPerCall: number
  /** Sends a notification within a time limit, until the signal aborts. Resolves with null, or with the reason of a failure. Never rejects. */
  notify(approvals: PendingApproval[], signal: AbortSignal): Promise<string | null>
}

/**
 * Notifies a person of each approval request once, with one call at a time. Needs no queue: requests that arrive during a call, and are
 * still pending after it, become part of the next call.
 */
export function createRemoteNotifier(
  approvals: Pick<ApprovalSource, 'pending' | 'subscribe'>,
  channel: NotifyChannel,
  log: Log,
): Notifier {
  const kill = new AbortController()
  let notified: string[] = []
  let call: Promise<void> | null = null
  let warning: string | null = null

  const work = () => {
    if (call !== null || kill.signal.aborted) return
    const pending = approvals.pending()
    notified = notified.filter((id) => pending.some((approval) => approval.id === id))
    const fresh = pending.filter(({ id }) => !notified.includes(id)).slice(0, channel.maxPerCall)
    if (fresh.length === 0) return
    notified.push(...fresh.map(({ id }) => id))
    call = channel.notify(fresh, kill.signal).then(onEnd)
  }
  const onEnd = (reason: string | null) => {
    call = null
    warning = reason === null ? null : `setting ${channel.setting}: ${reason}`
    if (reason !== null && !kill.signal.aborted) {
      log({ setting: channel.setting, reason }, 'failed to notify a person of an approval request')
    }
    work()
  }

  const stop = approvals.subscribe(() => setImmediate(work))
  return {
    warnings: () => (warning === null ? [] : [warning]),
    async close() {
      stop()
      kill.abort()
      await call
    },
  }
}

type Log = (facts: Record<string, unknown>, sentence: string) => void

/** Combines several notifiers into one. */
export const combineNotifiers = (notifiers: Notifier[]): Notifier => ({
  warnings: () => notifiers.flatMap((one) => one.warnings()),
  close: async (graceMs) => void (await Promise.all(notifiers.map((one) => one.close(graceMs)))),
})
