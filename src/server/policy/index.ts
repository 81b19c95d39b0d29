/**
 * policy: decides what may run. It parses a script into every command that it can run, determines the effects of each command, and runs
 * every guard on them. The strictest verdict wins. The module is pure: it uses no clock, disk, network or environment, and the caller
 * passes lookups in. README.md in this directory explains the terms, and how to add a program, a rule or a guard.
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
export { changesNoState } from './shell/state-changes.ts'
export { MAX_SCRIPT_LENGTH, parse } from './shell/parse.ts'
export { syntaxError } from './shell/syntax.ts'
export { patternError, stepsOf } from './pattern-steps.ts'
export { type RateState, rate } from './rate.ts'
export { tierOf } from './guards/tiers.ts'
export type { CommandInput as Input, Script, Word } from './script/script.ts'
export {
  checkPolicySettings,
  type PolicySettings,
  PolicySettings as PolicySettingsSchema,
  policySettings,
  presetSettings,
  suppliedSettingsError,
} from './policy-settings.ts'

/** Every rule of every guard. */
export const rules: readonly Rule[] = [
  ...catastrophicRules,
  ...phoneRules,
  ...denyRules,
  ...allowlistRules,
  ...riskRules,
  ...workspaceRules,
  ...singleRules,
]
