import { boundedJson, type PendingApproval } from '../../../shared/schema/index.ts'
import type { App } from '../../../http/index.ts'
import { callerOf } from './configure-http.ts'
import type { PlaneParts } from './plane-parts.ts'
import { FleetApprovals } from './plane-replies.ts'
import { mustBe } from '../keys/roles.ts'

/** A pending approval and the name of its phone. */
type FleetApproval = PendingApproval & { phone: string }

const WAIT_MS = 5_000
const listSchema = {
  summary: 'List the pending approval requests of all phones',
  operationId: 'listApprovals',
  tags: ['approvals'],
  response: { 200: FleetApprovals },
}

/** The approvals in a phone's response; null if the body is malformed. */
function approvalsIn(body: Buffer): PendingApproval[] | null {
  try {
    const { approvals } = boundedJson(body, 'approvals') as { approvals: unknown }
    return Array.isArray(approvals) ? approvals : null
  } catch {
    return null
  }
}

/**
 * GET /approvals: the pending approvals of all phones. `silent` names the phones that sent no list, or a list that is too long for one response.
 * People answer with POST /phones/:name/approvals/:id.
 */
export async function approvalRoutes(app: App, { phoneRequests, phones }: PlaneParts): Promise<void> {
  const approvalsOf = async (name: string, by: string): Promise<FleetApproval[] | null> => {
    const target = { name, by, home: phones.homeOf(name), waitMs: WAIT_MS, isRepeatable: true }
    const answer = await phoneRequests
      .fetch({ ...target, callClass: 'answer', method: 'GET', path: '/approvals' })
      .catch(() => null)
    const approvals = answer?.status === 200 && answer.end === 'eof' ? approvalsIn(answer.body) : null
    return approvals?.map((one) => ({ phone: name, ...one })) ?? null
  }
  app.get('/approvals', { schema: listSchema }, async (request) => {
    const caller = callerOf(request)
    mustBe('person', caller)
    const waiting = phones.list(caller.selector).filter((phone) => phone.online && phone.pending_approvals > 0)
    const found = await Promise.all(
      waiting.map(async ({ name }) => [name, await approvalsOf(name, caller.name)] as const),
    )
    return {
      approvals: found.flatMap(([, approvals]) => approvals ?? []),
      silent: found.flatMap(([name, approvals]) => (approvals === null ? [name] : [])),
    }
  })
}
