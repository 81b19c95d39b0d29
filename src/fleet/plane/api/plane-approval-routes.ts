import { boundedJson, type PendingApproval } from '../../../shared/schema/index.ts'
import type { App } from '../../../http/index.ts'
import { callerOf } from './speak-http.ts'
import type { PlaneParts } from './plane-parts.ts'
import { mustBe } from '../keys/roles.ts'

/** A question, and whose it is. */
type FleetApproval = PendingApproval & { phone: string }

const WAIT_MS = 5_000

/** null: it is no list of approvals. */
function approvalsIn(body: Buffer): PendingApproval[] | null {
  try {
    const { approvals } = boundedJson(body, 'approvals') as { approvals: unknown }
    return Array.isArray(approvals) ? approvals : null
  } catch {
    return null
  }
}

/**
 * GET /approvals: what waits for a person on any phone, and `silent`: phones that gave no list, or one that is too long for an answer;
 * answered at POST /phones/:name/approvals/:id, from anywhere. */
export async function approvalRoutes(app: App, { asking, phones }: PlaneParts): Promise<void> {
  const questionsOf = async (name: string, by: string): Promise<FleetApproval[] | null> => {
    const question = { name, by, home: phones.homeOf(name), waitMs: WAIT_MS, isRepeatable: true }
    const answer = await asking
      .whole({ ...question, callClass: 'answer', method: 'GET', path: '/approvals' })
      .catch(() => null)
    const approvals = answer?.status === 200 && answer.end === 'eof' ? approvalsIn(answer.body) : null
    return approvals?.map((one) => ({ phone: name, ...one })) ?? null
  }
  app.get('/approvals', async (request) => {
    const caller = callerOf(request)
    mustBe('person', caller)
    const asked = phones.list(caller.selector).filter((phone) => phone.online && phone.pending_approvals > 0)
    const found = await Promise.all(
      asked.map(async ({ name }) => [name, await questionsOf(name, caller.name)] as const),
    )
    return {
      approvals: found.flatMap(([, questions]) => questions ?? []),
      silent: found.flatMap(([name, questions]) => (questions === null ? [name] : [])),
    }
  })
}
