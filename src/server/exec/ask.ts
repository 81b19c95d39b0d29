import { type Approval, type FileChange, type PendingApproval, ShellphoneError } from '../../shared/schema/index.ts'
import type { Command } from './command.ts'
import type { DecisionWithScripts } from './judge.ts'
import { listScripts } from './lookups.ts'
import type { ExecutorParts } from './executor-parts.ts'
import { contextOf } from './move.ts'
import type { Run } from './run.ts'

/** Asks a person to approve exactly this command, in this directory and with these options. The run holds no slot while it waits. */
export async function ask(
  command: Command,
  decision: DecisionWithScripts,
  run: Run,
  parts: ExecutorParts,
): Promise<Approval> {
  const { canAsk, approvals, log, store } = parts
  if (!canAsk()) return unanswerable()
  const { id, who, canceled } = run
  const { rule, reason, risk, scripts } = decision
  const { script, cwd, additions, dialect, stdin, sandbox, unset, session } = command
  const question = {
    script,
    cwd,
    env: additions ?? {},
    ...(session && { session: { name: session.turn.name, set: session.names.toSorted(), unset } }),
    dialect,
    token: who.name,
    tokenId: who.id,
    stdin,
    sandbox,
    files: listScripts(scripts),
    changes: await changesOf(command, run, parts),
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
    store.history.approvalStep(run.recordNow(), false)
  }
  const { approved: _approved, ...answer } = await approvals.request(question, canceled, onPending)
  if (run.waitsFor !== null) {
    store.history.approvalStep(run.recordNow(), true)
    run.answered(answer)
  }
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

/**
 * What a file tool would change. If the change cannot be made, the caller gets the error at once, unless its guards would not let it read
 * the file: then the error, which says something about the content, is only for the person.
 */
async function changesOf(command: Command, run: Run, parts: ExecutorParts): Promise<FileChange[]> {
  const { transfer } = command
  if (!transfer?.preview) return []
  try {
    return await transfer.preview(contextOf(run, parts))
  } catch (error) {
    const reads = parts.judge.reads(command, run.who)
    if (!(error instanceof ShellphoneError) || transfer.targets.every(({ path }) => reads(path))) throw error
    return transfer.targets.map(({ path }) => ({
      path,
      before: null,
      after: null,
      diff: `This change cannot be made now: ${error.message}`,
      complete: false,
    }))
  }
}
