import type { Test } from 'tap'
import type { ExecRecord, PendingApproval } from '../../src/shared/schema/index.ts'
import { type Service, type ServiceOptions, type Socket, startService } from './helper.ts'

/** A service with a client that watches its approvals. */
interface WatchedService {
  service: Service
  watcher: Socket
  /** POST /exec with a command of medium risk: the approval request, and the pending response */
  ask(command: string, more?: object): Promise<{ question: PendingApproval; answered: Promise<ExecRecord> }>
  /** resolves with the approval request for `command` that a watcher received */
  question(command: string): Promise<PendingApproval>
}

/** Starts a service that asks about medium risk, and a client that watches. */
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
      const approval = one.approval as PendingApproval | undefined
      return one.type === 'approval_requested' && approval?.command === command && !seen.has(approval.id)
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
