import type { Approval, PendingApproval } from '../../shared/schema/index.ts'
import type { Command } from './command.ts'
import type { DecisionWithScripts } from './judge.ts'
import { listScripts } from './lookups.ts'
import type { ExecutorParts } from './executor-parts.ts'
import type { Run } from './run.ts'

/** Asks a person to approve exactly this command, in this directory and with these options. The run holds no slot while it waits. */
export async function ask(
  command: Command,
  decision: DecisionWithScripts,
  run: Run,
  parts: ExecutorParts,
): Promise<Approval> {
  const { canAsk, approvals, log } = parts
  if (!canAsk()) return unanswerable()
  const { id, who, canceled } = run
  const { rule, reason, risk, scripts } = decision
  const { script, cwd, additions, dialect, stdin, sandbox } = command
  const question = {
    script,
    cwd,
    env: additions ?? {},
    dialect,
    token: who.name,
    tokenId: who.id,
    stdin,
    sandbox,
    files: listScripts(scripts),
    runId: id,
    rule,
    reason,
    risk,
  }
  const onPending = (approval: PendingApproval) => {
    log.info(
      { run: id, rule, risk, expires_at: approval.expires_at },
      `waiting for approval: shellphone approvals approve ${approval.id}`,
    )
    run.wait(approval)
  }
  const { approved: _approved, ...answer } = await approvals.request(question, canceled, onPending)
  run.wait(null)
  return answer
}

const unanswerable = (): Approval => ({
  outcome: 'nobody',
  by: null,
  how: null,
  at: new Date().toISOString(),
  scope: null,
  saved_rule: null,
})
