import type { Approval, PendingApproval } from '../schema/index.ts'
import { listScripts } from './lookups.ts'
import type { ExecutorParts } from './parts.ts'
import type { Run } from './run.ts'

/** Asks a person, bound to all that would run and to where and how it would. It holds no slot while it waits. */
export async function ask(run: Run, parts: ExecutorParts): Promise<void> {
  run.approval = parts.canAsk ? await answerOf(run, parts) : nobody()
  run.waitsFor = null
  if (run.approval.outcome === 'approved') run.decision = { ...run.decision, verdict: 'allow' }
}

async function answerOf(run: Run, { approvals, log }: ExecutorParts): Promise<Approval> {
  const { id, command, decision, scripts, canceled } = run
  const { rule, reason, risk } = decision
  const { script, cwd, additions, dialect, stdin, sandbox } = command
  const question = {
    script,
    cwd,
    env: additions ?? {},
    dialect,
    token: run.who.name,
    tokenId: run.who.id,
    stdin,
    sandbox,
    files: listScripts(scripts),
    runId: id,
    rule,
    reason,
    risk,
  }
  const waits = (asked: PendingApproval) => {
    log.info({ run: id, rule, risk, expires_at: asked.expires_at }, `waiting: shellphone approvals approve ${asked.id}`)
    run.wait(asked)
  }
  const { approved: _approved, ...answer } = await approvals.request(question, canceled, waits)
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
