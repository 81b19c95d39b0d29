/** Every guard speaks about a script, the strictest wins: allow < ask < deny. */
import type { Decision, Finding, Risk, Verdict } from '../schema/index.ts'
import { allowlistRules } from './guards/allowlist.ts'
import { catastrophicRules } from './guards/catastrophic.ts'
import { denyPatterns } from './guards/deny-patterns.ts'
import { riskOf } from './guards/risk.ts'
import { type GuardName, guardNames, speak } from './guards/rule.ts'
import { singleRules } from './guards/single-command.ts'
import { workspace } from './guards/workspace.ts'
import type { Scene } from './context.ts'
import type { PolicySettings } from './settings.ts'
import { parse } from './shell/parse.ts'
import { joinPath } from './shell/places.ts'
import type { Flavour, Input, Script } from './shell/script.ts'

/** What would run, where, and whose service it is. `env`: the values that $NAME may stand for (HOME, PREFIX, TMPDIR …); it does not change. */
export interface Subject {
  script: string
  /** absolute */
  cwd: string
  /** absolute */
  home: string
  env?: Readonly<Record<string, string>>
  /** absolute path of $SHELLPHONE_HOME */
  serviceHome: string
  servicePid: number
  /** what the request itself adds to the environment; it is in `env`, too */
  additions?: Readonly<Record<string, string>>
  /** its standard input: text, one that stays open, or nothing */
  stdin?: { text: string } | 'open' | null
  /** which shell `sh` is here; null or absent: not known */
  shellFlavour?: Flavour | null
}

/** What a guard may look up: the caller touches the disk, not this room. */
export interface Lookups {
  /** resolves the links in the longest existing part of an absolute path; null where that fails */
  realpath(path: string): string | null
  /** the text of a file, bounded; null: none, too long, or not to be read */
  readFile?(path: string): string | null
}

const verdicts: readonly Verdict[] = ['allow', 'ask', 'deny']
const risks: readonly Risk[] = ['low', 'medium', 'high']

type Speaker = [GuardName, (scene: Scene) => Finding[]]
const speakers: readonly Speaker[] = [
  ['catastrophic', (scene) => (scene.settings.catastrophic ? speak(catastrophicRules, scene) : [])],
  ['deny-patterns', denyPatterns],
  ['allowlist', (scene) => (scene.settings.allowed_commands ? speak(allowlistRules, scene) : [])],
  ['risk', riskOf],
  ['workspace', workspace],
  ['single-command', (scene) => (scene.settings.single_command ? speak(singleRules, scene) : [])],
]

/** Decides about one script. Never throws; settings have been checked at the start. */
export function decide(subject: Subject, settings: PolicySettings, lookups: Lookups): Decision {
  const scene = toScene(subject, settings, lookups)
  const guards: Finding[] = []
  for (const [guard, speaker] of speakers) {
    const found = ask(guard, speaker, scene)
    if (found.length === 0) guards.push(silent(guard))
    else guards.push(...found)
  }
  const strictest = guards.reduce((best, finding) => (outranks(finding, best) ? finding : best))
  const spoke = strictest.verdict !== 'allow'
  return {
    verdict: strictest.verdict,
    risk: risks[Math.max(...guards.map((finding) => risks.indexOf(finding.risk)))]!,
    opaque: scene.script.opaque.length > 0,
    rule: spoke ? strictest.rule : null,
    reason: spoke ? strictest.reason : null,
    guards,
  }
}

function ask(guard: GuardName, speaker: (scene: Scene) => Finding[], scene: Scene): Finding[] {
  try {
    return speaker(scene)
  } catch {
    // the stack's end: what a guard cannot get through is refused
    return [
      { guard, verdict: 'deny', risk: 'high', rule: 'opaque', command: null, reason: 'It is too large to be judged.' },
    ]
  }
}

// of two equals, the one that knows why goes before the one that merely doubts
function outranks(finding: Finding, best: Finding): boolean {
  const difference = verdicts.indexOf(finding.verdict) - verdicts.indexOf(best.verdict)
  return difference > 0 || (difference === 0 && finding.verdict !== 'allow' && doubts(best) && !doubts(finding))
}

const doubts = (finding: Finding) => finding.rule === 'opaque' || finding.rule === 'unknown-path'

function silent(guard: GuardName): Finding {
  return { guard, verdict: 'allow', risk: 'low', rule: null, command: null, reason: null }
}

/** Agents say the same things again and again: the last scripts of so many characters need not be parsed twice, in the same place and environment. */
const MAX_REMEMBERED = 64
const MAX_REMEMBERED_LENGTH = 1024
const remembered = new WeakMap<object, Map<string, Script>>()

function parseOnce(subject: Subject, lookups: Lookups): Script {
  const { script, cwd, home, serviceHome, servicePid, env, additions, stdin, shellFlavour } = subject
  const beside = {
    additions,
    input: toInput(stdin),
    flavour: shellFlavour,
    readFile: lookups.readFile && ((path: string) => lookups.readFile!(path)),
  }
  const read = () =>
    parse(script, { ...env, HOME: home, PWD: cwd, PPID: String(servicePid), SHELLPHONE_HOME: serviceHome }, beside)
  if (!env || script.length > MAX_REMEMBERED_LENGTH || additions || stdin) return read()
  const known = remembered.get(env) ?? new Map<string, Script>()
  const key = [cwd, home, serviceHome, servicePid, shellFlavour, script].join('\0')
  const before = known.get(key)
  if (before) return before
  if (known.size >= MAX_REMEMBERED) known.clear()
  const parsed = read()
  if (!parsed.volatile) remembered.set(env, known.set(key, parsed))
  return parsed
}

function toInput(stdin: Subject['stdin']): Input | null {
  if (stdin === null || stdin === undefined) return null
  return { from: 'request', text: stdin === 'open' ? null : stdin.text }
}

function toScene(subject: Subject, settings: PolicySettings, lookups: Lookups): Scene {
  const { cwd, home, serviceHome, servicePid } = subject
  const known = new Map<string, string | null>()
  const realpath = (path: string) => {
    if (!known.has(path)) known.set(path, lookups.realpath(path))
    return known.get(path)!
  }
  const tidy = (path: string) => joinPath('/', path)
  return {
    script: parseOnce(subject, lookups),
    cwd: tidy(cwd),
    home: tidy(home),
    prefix: subject.env?.PREFIX ?? '/usr',
    serviceHome: tidy(serviceHome),
    servicePid,
    settings,
    realpath,
  }
}

/** All guards by name, `rate` included, in the order in which they speak. */
export const guards = guardNames
