/**
 * policy: what may run. It parses a script into every command that it can run, tells what each does, lets every guard speak, and the
 * strictest wins. Pure: no clock, disk, network or environment; what must be looked up is handed in. Its words, and how to add a
 * program, a rule or a guard: README.md beside this file.
 */
import { allowlistRules } from './guards/allowlist.ts'
import { catastrophicRules } from './guards/catastrophic.ts'
import { denyRules } from './guards/deny-patterns.ts'
import { phoneRules } from './guards/phone-rules.ts'
import { riskRules } from './guards/risk.ts'
import type { Rule } from './guards/rule.ts'
import { singleRules } from './guards/single-command.ts'
import { workspaceRules } from './guards/workspace.ts'

export { decide, type Lookups, type Subject } from './decide.ts'
export { guardNames as guards, type Rule } from './guards/rule.ts'
export { flavourAt } from './shell/code.ts'
export { MAX_SCRIPT_LENGTH, parse } from './shell/parse.ts'
export { patternError as patternTrouble } from './pattern-steps.ts'
export { type RateState, rate } from './rate.ts'
export { tierOf } from './guards/tiers.ts'
export type { CommandInput as Input, Script, Word } from './script/script.ts'
export {
  checkPolicySettings,
  type PolicySettings,
  PolicySettings as PolicySettingsSchema,
  policySettings,
  presetSettings,
  suppliedSettingsError as supposedTrouble,
} from './policy-settings.ts'

/** Every rule of every guard, for the table test and for people. */
export const rules: readonly Rule[] = [
  ...catastrophicRules,
  ...phoneRules,
  ...denyRules,
  ...allowlistRules,
  ...riskRules,
  ...workspaceRules,
  ...singleRules,
]
