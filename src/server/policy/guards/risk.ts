/** NullClaw's risk levels: low, medium or high for each command. The highest level counts, and `autonomy` maps it to a verdict. */
import type { Finding, Risk, Verdict } from '../../../shared/schema/index.ts'
import { effectsOf } from '../programs/index.ts'
import type { PolicySettings } from '../policy-settings.ts'
import { wipes } from './catastrophic.ts'
import { deletesDisk, namesDisk, outputsToDisk, takesDisks } from './disk-targets.ts'
import { type Rule, rulesOf, type GuardInput } from './rule.ts'
import { runsOthers } from './runs-others.ts'

const terminal = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d)$/

const common = { guard: 'risk', verdict: 'setting', risk: 'medium' } as const

/** Rules for commands of medium and high risk. All other commands have low risk. */
export const riskRules: readonly Rule[] = rulesOf(common, {
  destructive: {
    risk: 'high',
    reason: 'High risk: it deletes, changes the system or reaches other machines.',
    forkBomb: true,
    on: {
      privilege: true,
      administers: true,
      power: true,
      formats: true,
      permits: true,
      kills: true,
      discards: true,
      erases: true,
      harms: true,
      forks: true,
      // everything catastrophic also has high risk
      deletes: (effect, command, scene) =>
        effect.how === undefined || wipes(effect, command, scene) || deletesDisk(effect, command, scene),
      writes: namesDisk,
      unknown: takesDisks,
      installs: ({ vital }) => vital === true,
      publishes: ({ force }) => force,
      network: ({ shell }) => shell === true,
    },
    command: outputsToDisk,
  },
  'file-write': {
    reason: 'Medium risk: it changes files, packages or state.',
    on: {
      writes: ({ redirect, code }) => !redirect && !code,
      changes: true,
      installs: true,
      deletes: ({ how }) => how === 'moves',
    },
  },
  redirect: {
    reason: 'Medium risk: it writes to a file.',
    on: { writes: ({ redirect, path }) => redirect === true && !path.values?.every((value) => terminal.test(value)) },
  },
  'private-data': {
    reason: 'Medium risk: it reads private data or the screen, or reaches other people.',
    on: { reveals: true, reaches: true },
  },
  network: { reason: 'Medium risk: it reaches other machines.', on: { network: true } },
  'runs-code': {
    reason: 'Medium risk: it runs code or programs given in its arguments.',
    on: {
      runs: (effect) =>
        effect.what === 'input' || effect.what === 'hidden' || (effect.what === 'source' && !effect.data),
    },
    // if doubt means deny, a command that may start other programs has medium risk
    strict: true,
    command: (command) => runsOthers(command) || effectsOf(command).some(({ does }) => does === 'steers'),
  },
  opaque: { reason: 'Medium risk: it is unclear what it would run.', doubts: 'all' },
})

/** Returns the verdict that the settings give a risk level. */
function actionFor(risk: Risk, settings: PolicySettings): Verdict {
  if (settings.autonomy === null || risk === 'low') return 'allow'
  if (settings.autonomy === 'read_only') return 'deny'
  if (settings.autonomy === 'full') return risk === 'high' ? 'ask' : 'allow'
  if (risk === 'medium') return settings.require_approval_for_medium_risk ? 'ask' : 'allow'
  return settings.block_high_risk_commands ? 'deny' : 'ask'
}

const words: Record<Verdict, string> = {
  allow: '',
  ask: ' A person must approve this.',
  deny: ' This is not allowed here.',
}

/** Gives each finding the verdict that follows from the settings. */
export function settle(findings: readonly Finding[], { script, settings }: GuardInput): Finding[] {
  const refused = script.opaque.length > 0 && settings.opaque_verdict === 'deny' && settings.autonomy !== null
  return findings.map((finding) => {
    if (refused && finding.rule === 'opaque') return { ...finding, verdict: 'deny' }
    const verdict = actionFor(finding.risk, settings)
    return { ...finding, verdict, reason: finding.reason + words[verdict] }
  })
}
