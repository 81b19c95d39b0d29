import type { ApprovalOutcome } from '../dialects/index.ts'
import type { Approval } from '../schema/index.ts'
import type { DeskParts } from './desk.ts'
import type { Run } from './run.ts'

/** Asks a person, bound to the exact script, directory, environment additions and dialect. Silence until the deadline is no. */
export async function ask(run: Run, { approvals, canAsk }: DeskParts): Promise<Approval> {
  const { command, decision, id } = run
  if (!canAsk) return nobody()
  const question = {
    script: command.script,
    cwd: command.cwd,
    env: command.additions,
    dialect: command.dialect,
    runId: id,
    rule: decision.rule,
    reason: decision.reason,
    risk: decision.risk,
  }
  const { approved: _approved, ...answer } = await approvals.request(question, run.canceled)
  return answer
}

const nobody = (): Approval => ({
  outcome: 'nobody',
  by: null,
  how: null,
  at: new Date().toISOString(),
  scope: null,
  saved_rule: null,
})

const words: Record<string, ApprovalOutcome> = { approved: 'approved', denied: 'refused', timeout: 'expired' }

/** What became of the question, as the dialects' texts tell it. */
export const approvalWord = (approval: Approval | null | undefined): ApprovalOutcome =>
  approval ? (words[approval.outcome] ?? 'nobody') : 'not_needed'
