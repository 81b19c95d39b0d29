/** Runs every guard on a script. The strictest verdict wins: allow < ask < deny. */
import { type Decision, type Finding, risks, strictness } from '../../shared/schema/index.ts'
import { allowlistRules, allowsAll } from './guards/allowlist.ts'
import { catastrophicRules } from './guards/catastrophic.ts'
import { denyPatterns } from './guards/deny-patterns.ts'
import { phoneRules } from './guards/phone-rules.ts'
import { riskRules, settle } from './guards/risk.ts'
import { type GuardName, type Rule, type GuardInput, applyRules, withSingleBlanks } from './guards/rule.ts'
import { singleRules } from './guards/single-command.ts'
import { workspace } from './guards/workspace.ts'
import { PatternTrials } from './pattern-steps.ts'
import type { PolicySettings } from './policy-settings.ts'
import { parse } from './shell/parse.ts'
import { joinPath } from './script/directories.ts'
import type { Flavour, CommandInput } from './script/script.ts'

/** What would run, where, and on which service. `env`: the values of the variables that the script can expand (HOME, PREFIX …). */
export interface Subject {
  script: string
  cwd: string // absolute
  workspace: string // absolute; the workspace root unless `workspace_dir` is set
  home: string // absolute
  env?: Readonly<Record<string, string>>
  serviceHome: string // absolute path of $SHELLPHONE_HOME
  servicePid: number
  byPerson: boolean // whether the command comes from a person who can answer approval requests
  servicePort?: number // the port on which the service listens
  additions?: Readonly<Record<string, string>> | undefined // the variables that the request adds to the environment; `env` also contains them
  /** standard input: text, a stream that stays open, or nothing */
  stdin?: { text: string } | 'open' | null
  shellFlavour?: Flavour | null // the shell that reads the script; null or absent: unknown
  shFlavour?: Flavour | null // the shell behind `sh`; null or absent: unknown
}

/** What a guard can look up on disk. The caller implements the lookups, because this module does not access the disk. */
export interface Lookups {
  /** resolves the symbolic links in the longest existing part of an absolute path; returns null on failure */
  realpath(path: string): string | null
  readFile?(path: string): string | null // returns the text of a file; null if it is missing, too large or unreadable
}

/** A guard's rules, or a function that returns its findings. */
type Guard = readonly Rule[] | ((scene: GuardInput) => Finding[])

// in the order in which the findings are listed; null: disabled
function guardsFor(settings: PolicySettings): [GuardName, Guard | null][] {
  const denies = settings.enable_deny_patterns || settings.custom_deny_patterns.length > 0
  const lists = settings.allowed_commands !== null && !allowsAll(settings.allowed_commands)
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

/** Judges one script. Never throws. The settings must have passed `checkPolicySettings`. */
export function decide(subject: Subject, settings: PolicySettings, lookups: Lookups): Decision {
  const scene = toScene(subject, settings, lookups)
  const guards: Finding[] = []
  for (const [guard, speaker] of guardsFor(settings)) guards.push(...runGuard(guard, speaker, scene))
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

function runGuard(guard: GuardName, speaker: Guard | null, scene: GuardInput): Finding[] {
  const silent: Finding = { guard, verdict: 'allow', risk: 'low', rule: null, command: null, reason: null }
  try {
    const found = speaker && (typeof speaker === 'function' ? speaker(scene) : applyRules(speaker, scene))
    if (!found?.length) return [silent]
    return guard === 'risk' ? settle(found, scene) : found
  } catch {
    // stack overflow or too much work: deny a script that a guard cannot finish judging
    return [{ ...silent, verdict: 'deny', risk: 'high', rule: 'opaque', reason: 'The script is too large to analyse.' }]
  }
}

// if two findings are equally strict, a certain one outranks a doubt
function outranks(finding: Finding, best: Finding): boolean {
  const difference = strictness[finding.verdict] - strictness[best.verdict]
  return difference > 0 || (difference === 0 && doubts(best) && !doubts(finding))
}

const doubts = (finding: Finding) => finding.rule === 'opaque' || finding.rule === 'unknown-path'

function toScene(subject: Subject, settings: PolicySettings, lookups: Lookups): GuardInput {
  const { cwd, home, serviceHome, servicePid, stdin, additions, shellFlavour: flavour, shFlavour } = subject
  // a person who can answer approval requests may send any input to a program: they would approve it anyway
  const opened: CommandInput = { from: subject.byPerson ? 'person' : 'request', text: null }
  const input: CommandInput | null = stdin === 'open' ? opened : stdin ? { from: 'request', text: stdin.text } : null
  // inherits from the environment instead of copying it, because it is large
  const own = { HOME: home, PWD: cwd, PPID: String(servicePid), SHELLPHONE_HOME: serviceHome }
  const environment = Object.assign(Object.create(subject.env ?? null), own)
  const known = new Map<string, string | null>()
  const realpath = (path: string) => {
    if (!known.has(path)) known.set(path, lookups.realpath(path))
    return known.get(path)!
  }
  return {
    script: parse(subject.script, environment, { additions, input, flavour, shFlavour, readFile: lookups.readFile }),
    cwd: joinPath('/', cwd),
    home: joinPath('/', home),
    prefix: subject.env?.PREFIX ?? '/usr',
    serviceHome: joinPath('/', serviceHome),
    servicePid,
    servicePort: subject.servicePort ?? 0,
    settings,
    byPerson: subject.byPerson,
    workspace: subject.workspace,
    requestText: withSingleBlanks([subject.script, input?.text ?? '', ...Object.values(additions ?? {})].join('\n')),
    trials: new PatternTrials(),
    realpath,
  }
}
