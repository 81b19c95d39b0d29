/** NullClaw's risk levels: each command low, medium or high; the highest wins, and `autonomy` says what each level means. */
import type { Finding, Risk, Verdict } from '../../schema/index.ts'
import type { Scene } from '../context.ts'
import { type Effect, effectsOf } from '../programs/index.ts'
import type { PolicySettings } from '../settings.ts'
import type { SimpleCommand } from '../shell/script.ts'
import { damageRules, isForkBomb } from './catastrophic.ts'
import { find, type Rule, speak } from './rule.ts'
import { runsOthers } from './runs-others.ts'

const high = { guard: 'risk', verdict: 'setting', risk: 'high' } as const
const medium = { guard: 'risk', verdict: 'setting', risk: 'medium' } as const

const destroys = 'privilege administers power formats permits kills discards erases harms forks'.split(' ')
const isDestructive = (effect: Effect) =>
  destroys.includes(effect.does) ||
  (effect.does === 'deletes' && effect.how === undefined) ||
  (effect.does === 'publishes' && effect.force) ||
  (effect.does === 'network' && effect.shell === true)
const terminal = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d)$/

const steers = (command: SimpleCommand) => effectsOf(command).some(({ does }) => does === 'steers')

/** Which commands are of medium or high risk; everything else is low. */
export const riskRules: readonly Rule[] = [
  {
    ...high,
    name: 'destructive',
    reason: 'High risk: it deletes, changes the system or reaches other machines.',
    match: ['rm -rf build', 'kill 5', 'sudo ls', 'git push --force', 'mv ~ /tmp/x'],
    notMatch: ['ls', 'git rm x', 'systemctl status x', 'rsync -a src/ backup/', 'sqlite3 x.db "SELECT 1"'],
    effect: (effect, command, scene) =>
      isDestructive(effect) || damageRules.some((rule) => rule.effect?.(effect, command, scene)),
    command: isForkBomb,
  },
  {
    ...medium,
    name: 'file-write',
    reason: 'Medium risk: it changes files, packages or state.',
    match: ['touch test.txt', 'git add .', 'npm install', 'sed -i s/a/b/ f', 'tar xf a.tgz'],
    notMatch: ['ls -la', 'git log', 'npm test', 'tar tf a.tgz', 'find src -name x'],
    effect: (effect) =>
      (effect.does === 'writes' && !effect.redirect && !effect.code) ||
      effect.does === 'changes' ||
      effect.does === 'installs' ||
      (effect.does === 'deletes' && effect.how === 'moves'),
  },
  {
    ...medium,
    name: 'redirect',
    reason: 'Medium risk: it writes to a file.',
    match: ['echo x > f', 'ls >> log'],
    notMatch: ['ls 2>/dev/null', 'ls 2>&1', 'cat < f'],
    effect: (effect) =>
      effect.does === 'writes' && effect.redirect === true && !effect.path.values?.every((path) => terminal.test(path)),
  },
  {
    ...medium,
    name: 'network',
    reason: 'Medium risk: it reaches other machines.',
    match: ['curl https://example.com', 'wget x'],
    notMatch: ['ping -c 1 x', 'echo curl', 'curl --version'],
    effect: ({ does }) => does === 'network',
  },
  {
    ...medium,
    name: 'runs-code',
    reason: 'Medium risk: it runs code or programs that stand in its arguments.',
    match: ["python3 -c 'print(1)'", 'git -c core.pager=id log', 'sh', 'curl x | sh'],
    notMatch: ['python3 x.py', "awk '{print $1}' f", 'sh x.sh'],
    effect: (effect) =>
      effect.does === 'runs' &&
      (effect.what === 'input' || effect.what === 'hidden' || (effect.what === 'source' && !effect.data)),
    // where doubt is no, what may start others is asked about
    command: (command, scene) => scene.settings.opaque_verdict === 'deny' && (runsOthers(command) || steers(command)),
  },
  {
    ...medium,
    name: 'opaque',
    reason: 'Medium risk: it cannot be known what it would run.',
    match: ['$X y', 'eval "$X"'],
    notMatch: ['ls "$HOME"', 'cat *.txt'],
    script: (scene) => scene.script.opaque.length > 0,
  },
]

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
