import type { Approval } from '../schema/index.ts'
import type { ExecutorParts } from './parts.ts'
import type { Run } from './run.ts'

/** Asks a person, bound to the exact script, directory, environment additions and dialect. It holds no slot while it waits. */
export async function ask(run: Run, parts: ExecutorParts): Promise<void> {
  run.approval = parts.canAsk ? await answerOf(run, parts) : nobody()
  if (run.approval.outcome !== 'approved') return
  run.decision = isReplaced(run, parts)
    ? { ...run.decision, verdict: 'deny', ...replaced }
    : { ...run.decision, verdict: 'allow' }
}

async function answerOf({ id, command, decision, canceled }: Run, { approvals }: ExecutorParts): Promise<Approval> {
  const { rule, reason, risk } = decision
  const { script, cwd, additions, dialect } = command
  const question = { script, cwd, env: additions, dialect, runId: id, rule, reason, risk }
  const { approved: _approved, ...answer } = await approvals.request(question, canceled)
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

/** Whoever was asked saw a directory; what has its name now must be that one. */
const isReplaced = ({ command: { cwd } }: Run, { prepare }: ExecutorParts): boolean => prepare.realpath(cwd) !== cwd

const replaced = {
  rule: 'directory-replaced',
  reason: 'The working directory was replaced while a person was asked, so that the answer does not cover it.',
}
