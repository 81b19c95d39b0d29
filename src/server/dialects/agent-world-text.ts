import type { Finding } from '../../shared/schema/index.ts'
import { type FormattedRequest, json, markdown } from './agent-world-formats.ts'
import { inlineRefusal, mismatch, type TrustedScope, strayingPath, strays } from './agent-world-scope.ts'
import type { DialectText, Ended, ToolResult } from './dialect.ts'
import { decisive, firstOf, lacksApproval } from './shared.ts'

function notApproved({ decision, approval }: Ended): string {
  const tier = decision.rule ?? 'high_risk_command'
  if (approval === undefined || !['approved', 'denied', 'timeout'].includes(approval.outcome)) {
    return `Approval required: command classified as ${tier}. HITL approval context is unavailable.`
  }
  const why = approval.outcome === 'timeout' ? 'timeout' : 'user_denied'
  return `Command not executed: approval required for ${tier} and request was not approved (${why}).`
}

const withoutStop = (reason: string) => reason.replace(/\.$/, '')

/** Returns the path or command that leads out of the trusted directory, as the agent wrote it; null if nothing does. */
function outsider({ command, parameters }: FormattedRequest, scope: TrustedScope): string | null {
  const path = strayingPath(parameters, scope)
  if (path !== undefined) return `path "${path}"`
  return command.includes('/') && strays(command, scope) ? `command "${command}"` : null
}

function guardWords(finding: Finding, ended: Ended, asked: FormattedRequest, scope: TrustedScope): string {
  const { guard, rule, command } = finding
  const reason = withoutStop(finding.reason ?? rule ?? 'policy')
  if (guard === 'workspace' && rule === 'cwd-outside') {
    return mismatch(
      `requested directory "${ended.working_directory}"`,
      scope.root,
      ' Update world working_directory first.',
    )
  }
  if (guard === 'workspace') return mismatch(outsider(asked, scope) ?? `path "${command ?? ended.command}"`, scope.root)
  if (guard !== 'single-command') {
    return `Blocked dangerous operation: ${reason}. This shell command cannot be executed.`
  }
  return rule === 'inline-code'
    ? inlineRefusal(command ?? ended.command, scope.root)
    : `Invalid command: shell control syntax is not allowed (${reason}).`
}

const order = ['single-command', 'catastrophic', 'workspace']

const denied = (ended: Ended, asked: FormattedRequest, scope: TrustedScope): string =>
  lacksApproval(ended) ? notApproved(ended) : guardWords(firstOf(decisive(ended.decision), order), ended, asked, scope)

/** Returns the text of `shell_cmd` for a result. */
export function toText(result: ToolResult, asked: FormattedRequest, scope: TrustedScope): DialectText {
  if ('problem' in result) return { is_error: true, output: result.problem.message }
  const { ended } = result
  if (ended.status === 'denied') return { is_error: true, output: denied(ended, asked, scope) }
  const output = asked.output_format === 'json' ? json(ended, asked) : markdown(ended, asked)
  return { is_error: ended.status !== 'completed', output }
}
