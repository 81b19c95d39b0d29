import type { PendingApproval } from '../../shared/schema/index.ts'
import type { Notifier, Questions } from './notifier.ts'

/** One way to tell somebody who is elsewhere that something waits. */
export interface NotifyChannel {
  /** the setting that asks for it */
  setting: string
  /** the most questions that one call tells of */
  most: number
  /** Tells of these; resolves with what went wrong, null: nothing. Bounded in time, ended at once by the signal; never rejects. */
  tell(questions: PendingApproval[], signal: AbortSignal): Promise<string | null>
}

/**
 * Tells of each question once, one call at a time. There is no queue: whoever came while a call went on, and waits still, is told of
 * by the next one.
 */
export function notifyElsewhere(
  questions: Pick<Questions, 'pending' | 'subscribe'>,
  way: NotifyChannel,
  log: Log,
): Notifier {
  const kill = new AbortController()
  let told: string[] = []
  let call: Promise<void> | null = null
  let trouble: string | null = null

  const work = () => {
    if (call !== null || kill.signal.aborted) return
    const waiting = questions.pending()
    told = told.filter((id) => waiting.some((question) => question.id === id))
    const fresh = waiting.filter(({ id }) => !told.includes(id)).slice(0, way.most)
    if (fresh.length === 0) return
    told.push(...fresh.map(({ id }) => id))
    call = way.tell(fresh, kill.signal).then(over)
  }
  const over = (reason: string | null) => {
    call = null
    trouble = reason === null ? null : `setting ${way.setting}: ${reason}`
    if (reason !== null && !kill.signal.aborted) {
      log({ setting: way.setting, reason }, 'nobody could be told of a question')
    }
    work()
  }

  const stop = questions.subscribe(() => setImmediate(work))
  return {
    warnings: () => (trouble === null ? [] : [trouble]),
    async close() {
      stop()
      kill.abort()
      await call
    },
  }
}

type Log = (facts: Record<string, unknown>, sentence: string) => void

/** All of them as one. */
export const together = (notifiers: Notifier[]): Notifier => ({
  warnings: () => notifiers.flatMap((one) => one.warnings()),
  close: async (graceMs) => void (await Promise.all(notifiers.map((one) => one.close(graceMs)))),
})
