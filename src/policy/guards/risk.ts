/** NullClaw's risk levels: each command low, medium or high; the highest wins, and `autonomy` says what each level means. */
import type { Finding, Risk, Verdict } from '../../schema/index.ts'
import type { Scene } from '../scene.ts'
import type { PolicySettings } from '../settings.ts'
import { riskRules } from './risk-rules.ts'
import { find, speak } from './rule.ts'

/** What the settings make of a level of risk. */
export function actionFor(risk: Risk, settings: PolicySettings): Verdict {
  if (settings.autonomy === null || risk === 'low') return 'allow'
  if (settings.autonomy === 'read_only') return 'deny'
  if (settings.autonomy === 'full') return risk === 'high' ? 'ask' : 'allow'
  if (risk === 'medium') return settings.require_approval_for_medium_risk ? 'ask' : 'allow'
  return settings.block_high_risk_commands ? 'deny' : 'ask'
}

const words: Record<Verdict, string> = {
  allow: '',
  ask: 'A person has to approve this.',
  deny: 'This is not allowed here.',
}

/** One finding for every command above low risk. */
export function riskOf(scene: Scene): Finding[] {
  const findings = speak(riskRules, scene)
  if (scene.script.opaque.length > 0 && scene.settings.opaque_verdict === 'deny' && scene.settings.autonomy !== null) {
    const opaque = riskRules.find((rule) => rule.name === 'opaque')!
    return [
      ...findings.filter((finding) => finding.rule !== 'opaque').map((finding) => settle(finding, scene)),
      { ...find(opaque, scene, null), verdict: 'deny' },
    ]
  }
  return findings.map((finding) => settle(finding, scene))
}

function settle(finding: Finding, scene: Scene): Finding {
  const verdict = actionFor(finding.risk, scene.settings)
  return { ...finding, verdict, reason: [finding.reason, words[verdict]].filter(Boolean).join(' ') }
}
