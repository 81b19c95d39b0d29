import type { PendingApproval } from '../schema/index.ts'
import { type App, callerOf } from './http.ts'
import type { PlaneParts } from './plane-parts.ts'
import { mustBe } from './roles.ts'

/** A question, and whose it is. */
type FleetApproval = PendingApproval & { phone: string }

const WAIT_MS = 5_000

/** GET /approvals: what waits for a person on any phone; answered at POST /phones/:name/approvals/:id, from anywhere. */
export async function approvalRoutes(app: App, { asking, phones }: PlaneParts): Promise<void> {
  const questionsOf = async (name: string, by: string): Promise<FleetApproval[] | null> => {
    const question = { name, by, home: phones.homeOf(name), waitMs: WAIT_MS, isRepeatable: true }
    const answer = await asking
      .whole({ ...question, callClass: 'answer', method: 'GET', path: '/approvals' })
      .catch(() => null)
    if (answer?.status !== 200) return null
    const { approvals } = JSON.parse(answer.body.toString()) as { approvals: PendingApproval[] }
    return approvals.map((one) => ({ phone: name, ...one }))
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
