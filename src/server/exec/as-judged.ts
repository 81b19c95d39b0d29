import type { Approval, Who } from '../../shared/schema/index.ts'
import type { Command } from './command.ts'
import type { JudgedCommand } from './judge.ts'
import { isChanged } from './lookups.ts'
import type { ExecutorParts } from './executor-parts.ts'

/**
 * Checks the decision again when the command gets its turn. The guards and the person saw one directory and certain script files,
 * including those that scripts run. If a script has changed, the guards judge it again, unless a person had approved the old one.
 * Changes while the command runs are not detected.
 */
export function asJudged(
  command: Command,
  decision: JudgedCommand,
  approval: Approval | null,
  who: Who,
  { judge, prepare }: ExecutorParts,
): JudgedCommand {
  if (prepare.realpath(command.cwd) !== command.cwd) return { ...decision, verdict: 'deny', ...replaced }
  if (!isChanged(decision.scripts)) return decision
  const isAllowed = approval === null && judge.decide(command, { who }).verdict === 'allow'
  return isAllowed ? decision : { ...decision, verdict: 'deny', ...rewritten }
}

const replaced = {
  rule: 'directory-replaced',
  reason: 'The working directory was replaced after the command was judged or approved. Send it again.',
}

const rewritten = {
  rule: 'script-changed',
  reason: 'A script that the command runs was changed after the command was judged or approved. Send it again.',
}
