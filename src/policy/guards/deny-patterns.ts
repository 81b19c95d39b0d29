/** PicoClaw's categories of refused commands, told by structure instead of text; and the operator's own patterns. */
import type { Finding } from '../../schema/index.ts'
import type { Scene } from '../scene.ts'
import { customFindings, isExempt } from './custom-patterns.ts'
import { denyCommandRules } from './deny-commands.ts'
import { denySyntaxRules } from './deny-syntax.ts'
import { denyToolRules } from './deny-tools.ts'
import { type Rule, speak } from './rule.ts'

export const denyRules: readonly Rule[] = [...denyCommandRules, ...denyToolRules, ...denySyntaxRules]

/** What the deny list says of a script. An allow pattern exempts the very commands that it matches, never the chain. */
export function denyPatterns(scene: Scene): Finding[] {
  const { settings, script } = scene
  const custom = customFindings(scene)
  if (!settings.enable_deny_patterns) return custom
  const judged = script.commands.filter((command) => !isExempt(command, script, settings.custom_allow_patterns))
  // syntax belongs to the whole: it is exempt where every command is
  const rules = judged.length > 0 || script.commands.length === 0 ? denyRules : []
  return [...speak(rules, scene, judged), ...custom]
}
