import {
  checkPolicySettings,
  type PolicySettings,
  PolicySettingsSchema,
  presetSettings,
  suppliedSettingsError,
  syntaxError,
} from '../policy/index.ts'
import {
  check,
  type Decision,
  type ExecRequest,
  invalid,
  ShellphoneError,
  type Who,
} from '../../shared/schema/index.ts'
import type { AnyRequest } from './command.ts'
import { translate } from './execute-dialect.ts'
import { withTurn } from './in-session.ts'
import type { ExecutorParts } from './executor-parts.ts'
import { toCommand, unreachableError } from './to-command.ts'

/** A command in the format of POST /exec or of a dialect, and hypothetical settings (keys of config.yaml). */
export type CheckRequest = ({ request: ExecRequest } | { dialect: string; arguments: unknown }) & {
  policy?: Partial<PolicySettings>
}

/** The decision on a command. `syntax_error`: why a shell will reject the command. */
export interface CheckedCommand extends Decision {
  syntax_error: string | null
}

/**
 * Returns the decision for a command of `who`, with its reasons. Runs nothing, and counts nothing against limits. Throws VALIDATION_ERROR
 * for invalid settings, and FORBIDDEN if the caller passes settings but is not a person.
 */
export async function checkPolicy(body: CheckRequest, who: Who, parts: ExecutorParts): Promise<CheckedCommand> {
  if (body.policy && who.approves !== 'all') throw onlyPeople()
  const request = 'dialect' in body ? fromDialect(body.dialect, body.arguments, parts) : body.request
  const { session } = request
  const judged = session === undefined ? request : withTurn(request, parts.sessions.peek(who.id, session))
  const refusal = await unreachableError(judged, parts)
  if (refusal) throw refusal
  const options = body.policy ? { settings: hypotheticalSettings(body.policy, parts.policy) } : {}
  const command = toCommand(judged, parts.commandContext)
  const { scripts: _scripts, ...decision } = parts.judge.decide(command, { ...options, who })
  return { ...decision, syntax_error: syntaxError(command.script) }
}

function onlyPeople(): ShellphoneError {
  const message =
    "policy: only the owner's token and tokens that approve all may pass hypothetical settings; omit the field to judge the command with the current settings"
  return new ShellphoneError('FORBIDDEN', message, { field: 'policy' })
}

/** Returns the current settings, overridden by the hypothetical ones. A preset replaces all of them except the workspace. */
function hypotheticalSettings(policy: Partial<PolicySettings>, inForce: PolicySettings): PolicySettings {
  const { workspace_dir, allowed_paths } = inForce
  const start = policy.policy ? { ...presetSettings(policy.policy), workspace_dir, allowed_paths } : inForce
  const settings = check(PolicySettingsSchema, { ...start, ...policy })
  const problem = suppliedSettingsError(policy) ?? checkPolicySettings(settings)[0]
  if (problem) throw invalid(`policy.${problem}`, 'policy')
  return settings
}

function fromDialect(name: string, args: unknown, { dialects }: ExecutorParts): AnyRequest {
  const { translated } = translate(name, args, dialects)
  if ('request' in translated) {
    const { request, following = [] } = translated
    return {
      ...request,
      command: [request, ...following].map(({ command }) => command).join('\n'),
    }
  }
  if ('refusal' in translated) throw invalid(translated.refusal, 'arguments')
  throw invalid('arguments: expected a call that runs a command, got one that runs none', 'arguments')
}
