/** Every guard speaks about a script, the strictest wins: allow < ask < deny. */
import { type Decision, type Finding, risks, strictness } from '../../shared/schema/index.ts'
import { allowlistRules, takesAll } from './guards/allowlist.ts'
import { catastrophicRules } from './guards/catastrophic.ts'
import { denyPatterns } from './guards/deny-patterns.ts'
import { phoneRules } from './guards/phone-rules.ts'
import { riskRules, settle } from './guards/risk.ts'
import { type GuardName, type Rule, type GuardInput, speak, withSingleBlanks } from './guards/rule.ts'
import { singleRules } from './guards/single-command.ts'
import { workspace } from './guards/workspace.ts'
import { PatternTrials } from './pattern-steps.ts'
import type { PolicySettings } from './policy-settings.ts'
import { parse } from './shell/parse.ts'
import { joinPath } from './script/places.ts'
import type { Flavour, CommandInput } from './script/script.ts'

/** What would run, where, and whose service it is. `env`: the values that $NAME may stand for (HOME, PREFIX, TMPDIR …); it does not change. */
export interface Subject {
  script: string
  cwd: string // absolute
  workspace: string // absolute: the root that commands stay in where the settings name none
  home: string // absolute
  env?: Readonly<Record<string, string>>
  serviceHome: string // absolute path of $SHELLPHONE_HOME
  servicePid: number
  byPerson: boolean // whether it is the command of someone who answers questions
  servicePort?: number // what it listens on
  additions?: Readonly<Record<string, string>> // what the request itself adds to the environment; it is in `env`, too
  /** its standard input: text, one that stays open, or nothing */
  stdin?: { text: string } | 'open' | null
  shellFlavour?: Flavour | null // which shell reads the script, and which one its `sh` is; null or absent: not known
  shFlavour?: Flavour | null
}

/** What a guard may look up: the caller touches the disk, not this room. */
export interface Lookups {
  /** resolves the links in the longest existing part of an absolute path; null where that fails */
  realpath(path: string): string | null
  readFile?(path: string): string | null // the text of a file, bounded; null: none, too long, or not to be read
}

/** Its rules, or what it says beside them. */
type Speaker = readonly Rule[] | ((scene: GuardInput) => Finding[])

// in the order in which they speak; null: switched off
function speakersOf(settings: PolicySettings): [GuardName, Speaker | null][] {
  const denies = settings.enable_deny_patterns || settings.custom_deny_patterns.length > 0
  const lists = settings.allowed_commands !== null && !takesAll(settings.allowed_commands)
  return [
    ['catastrophic', settings.catastrophic ? catastrophicRules : null],
    ['phone', settings.private_data === 'allow' ? null : phoneRules],
    ['deny-patterns', denies ? denyPatterns : null],
    ['allowlist', lists ? allowlistRules : null],
    ['risk', riskRules],
    ['workspace', settings.restrict_to_workspace ? workspace : null],
    ['single-command', settings.single_command ? singleRules : null],
  ]
}

/** Decides about one script. Never throws; settings have been checked at the start. */
export function decide(subject: Subject, settings: PolicySettings, lookups: Lookups): Decision {
  const scene = toScene(subject, settings, lookups)
  const guards: Finding[] = []
  for (const [guard, speaker] of speakersOf(settings)) guards.push(...hear(guard, speaker, scene))
  let highest = 0
  let strictest: Finding | null = null
  for (const one of guards) {
    highest = Math.max(highest, risks.indexOf(one.risk))
    if (one.verdict !== 'allow' && (!strictest || outranks(one, strictest))) strictest = one
  }
  return {
    verdict: strictest?.verdict ?? 'allow',
    risk: risks[highest]!,
    opaque: scene.script.opaque.length > 0,
    rule: strictest?.rule ?? null,
    reason: strictest?.reason ?? null,
    guards,
  }
}

function hear(guard: GuardName, speaker: Speaker | null, scene: GuardInput): Finding[] {
  const silent: Finding = { guard, verdict: 'allow', risk: 'low', rule: null, command: null, reason: null }
  try {
    const found = speaker && (typeof speaker === 'function' ? speaker(scene) : speak(speaker, scene))
    if (!found?.length) return [silent]
    return guard === 'risk' ? settle(found, scene) : found
  } catch {
    // the stack's end: what a guard cannot get through is refused
    return [{ ...silent, verdict: 'deny', risk: 'high', rule: 'opaque', reason: 'It is too large to be judged.' }]
  }
}

// of two equals, the one that knows why goes before the one that merely doubts
function outranks(finding: Finding, best: Finding): boolean {
  const difference = strictness[finding.verdict] - strictness[best.verdict]
  return difference > 0 || (difference === 0 && doubts(best) && !doubts(finding))
}

const doubts = (finding: Finding) => finding.rule === 'opaque' || finding.rule === 'unknown-path'

function toScene(subject: Subject, settings: PolicySettings, lookups: Lookups): GuardInput {
  const { cwd, home, serviceHome, servicePid, stdin, shellFlavour: flavour } = subject
  // who answers what is asked may feed a program what they would approve
  const opened: CommandInput = { from: subject.byPerson ? 'person' : 'request', text: null }
  const input: CommandInput | null = stdin === 'open' ? opened : stdin ? { from: 'request', text: stdin.text } : null
  // before the others, which are many: nothing is copied
  const own = { HOME: home, PWD: cwd, PPID: String(servicePid), SHELLPHONE_HOME: serviceHome }
  const environment = Object.assign(Object.create(subject.env ?? null), own)
  const known = new Map<string, string | null>()
  const realpath = (path: string) => {
    if (!known.has(path)) known.set(path, lookups.realpath(path))
    return known.get(path)!
  }
  return {
    script: parse(subject.script, environment, { ...subject, flavour, input, readFile: lookups.readFile }),
    cwd: joinPath('/', cwd),
    home: joinPath('/', home),
    prefix: subject.env?.PREFIX ?? '/usr',
    serviceHome: joinPath('/', serviceHome),
    servicePid,
    servicePort: subject.servicePort ?? 0,
    settings,
    byPerson: subject.byPerson,
    workspace: subject.workspace,
    brought: withSingleBlanks(
      [subject.script, input?.text ?? '', ...Object.values(subject.additions ?? {})].join('\n'),
    ),
    trials: new PatternTrials(),
    realpath,
  }
}
