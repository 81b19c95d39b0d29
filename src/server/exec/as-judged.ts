import type { Approval, Who } from '../../shared/schema/index.ts'
import type { Command } from './command.ts'
import type { DecisionWithScripts } from './judge.ts'
import { isChanged } from './lookups.ts'
import type { ExecutorParts } from './executor-parts.ts'

/**
 * Checks the decision again when the command gets its slot. Guards and people judged it with one directory and certain script files,
 * including the files that those scripts run. If a script has changed since, the guards judge the command again; a command that a person
 * approved is denied. Changes while the command runs are not detected.
 */
export function asJudged(
  command: Command,
  decision: DecisionWithScripts,
  approval: Approval | null,
  who: Who,
  { judge, commandContext }: ExecutorParts,
): DecisionWithScripts {
  if (commandContext.realpath(command.cwd) !== command.cwd) return { ...decision, verdict: 'deny', ...replaced }
  if (!isChanged(decision.scripts)) return decision
  const isAllowed = approval === null && judge.decide(command, { who }).verdict === 'allow'
  return isAllowed ? decision : { ...decision, verdict: 'deny', ...rewritten }
}

const replaced = {
  rule: 'directory-replaced',
  reason: 'The working directory was replaced after the command was judged or approved. Send the command again.',
}

const rewritten = {
  rule: 'script-changed',
  reason:
    'A script that the command runs was changed after the command was judged or approved. Send the command again.',
}
