import type { Test } from 'tap'
import type { ExecRecord, PendingApproval } from '../../src/shared/schema/index.ts'
import { type Service, type ServiceOptions, type Socket, startService } from './helper.ts'

/** A service with a person's eyes on it. */
interface WatchedService {
  service: Service
  watcher: Socket
  /** POST /exec of what medium risk asks about: the question, and the answer to come */
  ask(command: string, more?: object): Promise<{ question: PendingApproval; answered: Promise<ExecRecord> }>
  /** the question about `command` that a watcher was shown, come or to come */
  question(command: string): Promise<PendingApproval>
}

/** A service that asks about medium risk, and somebody who watches. */
export async function watchedService(
  t: Test,
  env: Record<string, string> = {},
  more: Partial<ServiceOptions> = {},
): Promise<WatchedService> {
  const service = await startService({ env: { SHELLPHONE_AUTONOMY: 'supervised', ...env }, ...more })
  const watcher = await service.socket()
  t.teardown(async () => {
    await watcher.close()
    await service.stop()
  })
  watcher.send({ type: 'watch_approvals' })
  const seen = new Set<string>()
  const question = async (command: string) => {
    const message = await watcher.next((one) => {
      const asked = one.approval as PendingApproval | undefined
      return one.type === 'approval_requested' && asked?.command === command && !seen.has(asked.id)
    })
    const approval = message.approval as PendingApproval
    seen.add(approval.id)
    return approval
  }
  return {
    service,
    watcher,
    question,
    ask: async (command, more = {}) => {
      const answered = service.exec({ command, ...more })
      return { question: await question(command), answered }
    },
  }
}
