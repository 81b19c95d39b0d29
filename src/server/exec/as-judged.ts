import type { Approval, Who } from '../../shared/schema/index.ts'
import type { Command } from './command.ts'
import type { JudgedCommand } from './judge.ts'
import { isChanged } from './lookups.ts'
import type { ExecutorParts } from './executor-parts.ts'

/**
 * The decision when the turn of a command has come: guards and people saw a directory and script files, those that scripts run in turn too.
 * What has their names now must be those, or pass the guards again where no person was asked. What changes while it runs, nothing sees.
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
  reason: 'A script that it runs was changed after the command was judged or approved. Send it again.',
}
