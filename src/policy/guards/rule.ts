/** A rule is a row: who speaks, what it says and why, and examples; more of them stand in test/policy/rules.txt. */
import type { Finding, Risk, Verdict } from '../../schema/index.ts'
import type { Scene } from '../context.ts'
import { type Effect, effectsOf } from '../programs/index.ts'
import type { SimpleCommand } from '../shell/script.ts'

export interface Rule {
  guard: GuardName
  name: string
  /** 'opaque': whatever the setting `opaque_verdict` says; 'setting': other settings decide (risk) */
  verdict: Verdict | 'opaque' | 'setting'
  risk: Risk
  /** for the agent: what was refused, and what to do instead */
  reason: string
  match: readonly string[]
  notMatch: readonly string[]
  /** whether it speaks about one effect of a simple command */
  effect?: (effect: Effect, command: SimpleCommand, scene: Scene) => boolean
  /** whether it speaks about one simple command */
  command?: (command: SimpleCommand, scene: Scene) => boolean
  /** whether it speaks about the script as a whole */
  script?: (scene: Scene) => boolean
  /** it speaks about commands that may run as well: those in the strings of other languages' code */
  suspects?: true
}

export const guardNames = [
  'catastrophic',
  'deny-patterns',
  'allowlist',
  'risk',
  'workspace',
  'single-command',
  'rate',
] as const
export type GuardName = (typeof guardNames)[number]

/** At most this many findings of one guard. */
const MAX_FINDINGS = 50

/** What a finding says for its rule. */
export function find(rule: Rule, scene: Scene, command: string | null, reason = rule.reason): Finding {
  const verdict =
    rule.verdict === 'opaque' ? scene.settings.opaque_verdict : rule.verdict === 'setting' ? 'allow' : rule.verdict
  return { guard: rule.guard, verdict, risk: rule.risk, rule: rule.name, command, reason }
}

/** Lets every rule speak about every command and about the whole. */
export function speak(
  rules: readonly Rule[],
  scene: Scene,
  commands: readonly SimpleCommand[] = scene.script.commands,
): Finding[] {
  const findings: Finding[] = []
  for (const rule of rules) {
    if (rule.script?.(scene)) findings.push(find(rule, scene, null))
    if (!rule.command && !rule.effect) continue
    for (const command of commands) {
      if (findings.length < MAX_FINDINGS && speaksAbout(rule, command, scene)) {
        findings.push(find(rule, scene, command.source))
      }
    }
  }
  return findings
}

function speaksAbout(rule: Rule, command: SimpleCommand, scene: Scene): boolean {
  // a script file raises no doubts, only what is certain
  if (rule.verdict === 'opaque' && command.file !== null) return false
  const speaks = (one: SimpleCommand) =>
    rule.command?.(one, scene) ||
    (rule.effect !== undefined && effectsOf(one).some((effect) => rule.effect!(effect, one, scene)))
  return speaks(command) || (rule.suspects === true && command.suspects().some(speaks)) || false
}
