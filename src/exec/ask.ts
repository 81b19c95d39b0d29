import type { Approval, PendingApproval } from '../schema/index.ts'
import { isChanged, listScripts } from './lookups.ts'
import type { ExecutorParts } from './parts.ts'
import type { Run } from './run.ts'

/** Asks a person, bound to all that would run and to where and how it would. It holds no slot while it waits. */
export async function ask(run: Run, parts: ExecutorParts): Promise<void> {
  run.approval = parts.canAsk ? await answerOf(run, parts) : nobody()
  run.waitsFor = null
  if (run.approval.outcome !== 'approved') return
  const other = otherwise(run, parts)
  run.decision = other ? { ...run.decision, verdict: 'deny', ...other } : { ...run.decision, verdict: 'allow' }
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

/** Whoever was asked saw a directory and scripts; what has their names now must be those. */
function otherwise({ command: { cwd }, scripts }: Run, { prepare }: ExecutorParts) {
  if (prepare.realpath(cwd) !== cwd) return replaced
  return listScripts(scripts).some(isChanged) ? rewritten : null
}

const replaced = {
  rule: 'directory-replaced',
  reason: 'The working directory was replaced while a person was asked, so that the answer does not cover it.',
}

const rewritten = {
  rule: 'script-changed',
  reason: 'A script that it runs was changed while a person was asked, so that the answer does not cover it.',
}
