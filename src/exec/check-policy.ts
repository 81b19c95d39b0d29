import { checkPolicySettings, type PolicySettings, PolicySettingsSchema, presetSettings } from '../policy/index.ts'
import { check, type Decision, type ExecRequest, invalid } from '../schema/index.ts'
import type { AnyRequest } from './command.ts'
import { translate } from './dialect.ts'
import type { ExecutorParts } from './parts.ts'
import { toCommand } from './to-command.ts'

/** A command as POST /exec or as a dialect would take it, and settings to suppose (the keys of config.yaml). */
export type CheckRequest = ({ request: ExecRequest } | { dialect: string; arguments: unknown }) & {
  policy?: Partial<PolicySettings>
}

/** What would be decided, and why; runs nothing, counts nothing. Throws VALIDATION_ERROR for settings that could not be in force. */
export function checkPolicy(given: CheckRequest, parts: ExecutorParts): Decision {
  const request = 'dialect' in given ? fromDialect(given.dialect, given.arguments, parts) : given.request
  const wish = given.policy ? { settings: supposed(given.policy, parts.policy) } : {}
  return parts.judge.decide(toCommand(request, parts.prepare), wish)
}

/** The settings in force, overridden by those to suppose; a preset among these begins anew. */
function supposed(policy: Partial<PolicySettings>, inForce: PolicySettings): PolicySettings {
  const start = policy.policy ? presetSettings(policy.policy) : inForce
  const settings = check(PolicySettingsSchema, { ...start, ...policy })
  const [trouble] = checkPolicySettings(settings)
  if (trouble) throw invalid(`policy.${trouble}`, 'policy')
  return settings
}

function fromDialect(name: string, given: unknown, { dialects }: ExecutorParts): AnyRequest {
  const { translated } = translate(name, given, dialects)
  if ('request' in translated) return translated.request
  throw invalid(translated.refusal, 'arguments')
}
