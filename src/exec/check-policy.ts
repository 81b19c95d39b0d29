import { checkPolicySettings, type PolicySettings, PolicySettingsSchema, presetSettings } from '../policy/index.ts'
import { check, type Decision, type ExecRequest, ShellphoneError } from '../schema/index.ts'
import { type DialectParts, translate } from './dialect.ts'
import type { Judge } from './judge.ts'
import { type AnyRequest, type PrepareSettings, prepare } from './prepare.ts'

/** A command as POST /exec or as a dialect would take it, and settings to suppose (the keys of config.yaml). */
export type CheckRequest = ({ request: ExecRequest } | { dialect: string; arguments: unknown }) & {
  policy?: Partial<PolicySettings>
}

interface CheckParts {
  prepare: PrepareSettings
  judge: Judge
  dialects: DialectParts
  policy: PolicySettings
}

/** What would be decided, and why; runs nothing, counts nothing. Throws VALIDATION_ERROR for settings that could not be in force. */
export function checkPolicy(given: CheckRequest, parts: CheckParts): Decision {
  const request = 'dialect' in given ? fromDialect(given.dialect, given.arguments, parts.dialects) : given.request
  const command = prepare(request, parts.prepare)
  return parts.judge.judge(command, given.policy && supposed(given.policy, parts.policy))
}

/** The settings in force, overridden by those to suppose; a preset among these begins anew. */
function supposed(policy: Partial<PolicySettings>, inForce: PolicySettings): PolicySettings {
  const start = policy.policy ? presetSettings(policy.policy) : inForce
  const settings = check(PolicySettingsSchema, { ...start, ...policy })
  const [trouble] = checkPolicySettings(settings)
  if (trouble) throw new ShellphoneError('VALIDATION_ERROR', `policy.${trouble}`, { field: 'policy' })
  return settings
}

function fromDialect(name: string, given: unknown, parts: DialectParts): AnyRequest {
  const { translated } = translate(name, given, parts)
  if ('request' in translated) return translated.request
  throw new ShellphoneError('VALIDATION_ERROR', translated.refusal, { field: 'arguments' })
}
