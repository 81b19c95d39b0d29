/** A rule is a row: the effects, syntax or doubts that it speaks about, what it says and why. Its examples: test/fixtures/policy/rules.txt. */
import { isWithin, type Finding, type Risk, type Verdict } from '../../../shared/schema/index.ts'
import { callOf, type Effect, effectsOf, isCommand, scriptsIn } from '../programs/index.ts'
import type { PolicySettings } from '../policy-settings.ts'
import type { PatternTrials } from '../pattern-steps.ts'
import type { Script, SimpleCommand, Syntax } from '../script/script.ts'

/** What a decision is about: one script, where it would run, under which settings, and what may be looked up. */
export interface GuardInput {
  script: Script
  cwd: string
  home: string
  prefix: string // Termux's $PREFIX; '/usr' elsewhere
  serviceHome: string
  servicePid: number
  servicePort: number // 0: not known
  settings: PolicySettings
  byPerson: boolean // it is the command of someone who answers questions
  workspace: string // its root where the settings name none
  brought: string // all text of the request itself, with single blanks
  trials: PatternTrials
  /** resolves links in the longest part of an absolute path that exists; null where even that fails */
  realpath: (path: string) => string | null
}

/** Which effects of a kind a rule speaks about; true: all of them. */
export type EffectTest<Kind> = true | ((effect: Kind, command: SimpleCommand, scene: GuardInput) => boolean)
type Does = Effect['does']
export type EffectOf<Kind extends Does> = Extract<Effect, { does: Kind }>

export interface Rule {
  guard: GuardName
  name: string
  /** 'opaque': whatever the setting `opaque_verdict` says; 'private': `private_data`; 'setting': other settings decide (risk) */
  verdict: Verdict | 'opaque' | 'private' | 'setting'
  risk: Risk
  reason: string // for the agent: what was refused, and what to do instead
  /** effects of a simple command, by their kind */
  on?: { readonly [Kind in Does]?: EffectTest<EffectOf<Kind>> }
  /** what no effect of a simple command tells */
  command?: (command: SimpleCommand, scene: GuardInput) => boolean
  forkBomb?: true // a function that calls itself as a fork bomb does
  syntax?: readonly Syntax[] // syntax in the script
  doubts?: 'all' | 'dynamic' // the parser's doubts; 'dynamic': but for those that the shell itself will stop at
  inHome?: true // the script runs in the service's own directory
  strict?: true // `command` is asked only where doubt is no
  suspects?: true // it speaks about commands that may run as well: those in the strings of other languages' code
}

/** All guards, in the order in which they speak. */
export const guardNames = [
  'catastrophic',
  'phone',
  'deny-patterns',
  'allowlist',
  'risk',
  'workspace',
  'single-command',
  'rate',
] as const
export type GuardName = (typeof guardNames)[number]

type Common = Pick<Rule, 'guard' | 'verdict' | 'risk' | 'suspects'>

/** Rules by name, with what they have in common. */
export const rulesOf = (
  common: Common,
  rules: Record<string, Partial<Common> & Omit<Rule, keyof Common | 'name'>>,
): Rule[] => Object.entries(rules).map(([name, rule]) => ({ ...common, name, ...rule }))

/** At most this many findings of one guard. */
export const MAX_FINDINGS = 50
const MAX_SUSPECTS = 64

/** What a finding says for its rule. */
export function find(rule: Rule, scene: GuardInput, command: SimpleCommand | null): Finding {
  const { guard, risk, name, reason } = rule
  const verdict = verdictOf(rule, scene)
  return { guard, verdict, risk, rule: name, command: shownOf(command, scene), reason }
}

function verdictOf({ verdict }: Rule, { settings, byPerson }: GuardInput): Verdict {
  if (verdict === 'opaque') return settings.opaque_verdict
  if (verdict === 'setting') return 'allow'
  if (verdict !== 'private') return verdict
  return settings.private_data === 'ask_agents' ? (byPerson ? 'allow' : 'ask') : settings.private_data
}

/** How a finding shows its command: where it stands in a script file, else its text. What a file holds is never shown. */
export function shownOf(command: SimpleCommand | null, { script, brought }: GuardInput): string | null {
  if (command === null) return null
  if (command.file) return `${command.file.path}:${command.file.line}`
  // words that xargs or a variable has from a file
  const isBrought = script.files.length === 0 || brought.includes(withSingleBlanks(command.source))
  return isBrought ? command.source : null
}

/** A text as it is compared: every run of blanks is one. */
export const withSingleBlanks = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Lets every rule speak about the whole and about every command. */
export function speak(rules: readonly Rule[], scene: GuardInput, commands = scene.script.commands): Finding[] {
  const findings: Finding[] = []
  const { cwd, serviceHome } = scene
  const { syntax, opaque } = scene.script
  const done = whatIsDone(scene, commands)
  for (const rule of rules) {
    const doubted = rule.doubts && opaque.some((kind) => rule.doubts === 'all' || kind !== 'syntax-error')
    const speaks =
      doubted || rule.syntax?.some(syntax.has, syntax) || (rule.inHome && isWithin({ path: cwd, root: serviceHome }))
    if (speaks) findings.push(find(rule, scene, null))
    if (!isConcerned(rule, done)) continue
    for (const command of commands) {
      // a script file raises no doubts, only what is certain
      if (findings.length >= MAX_FINDINGS || (rule.verdict === 'opaque' && command.file !== null)) continue
      if (
        speaksAbout(rule, command, scene) ||
        (rule.suspects && suspectsOf(command, scene).some((one) => speaksAbout(rule, one, scene)))
      ) {
        findings.push(find(rule, scene, command))
      }
    }
  }
  return findings
}

// every kind of effect that these commands have: most rules speak about none of them
function whatIsDone(scene: GuardInput, commands: readonly SimpleCommand[]): ReadonlySet<Does> {
  const done = new Set<Does>()
  for (const command of commands) {
    for (const { does } of effectsOf(command)) done.add(does)
    for (const one of suspectsOf(command, scene)) for (const { does } of effectsOf(one)) done.add(does)
  }
  return done
}

function isConcerned({ on, command, forkBomb }: Rule, done: ReadonlySet<Does>): boolean {
  if (command || forkBomb) return true
  for (const kind in on) if (done.has(kind as Does)) return true
  return false
}

function speaksAbout(rule: Rule, command: SimpleCommand, scene: GuardInput): boolean {
  if (rule.on) {
    for (const effect of effectsOf(command)) {
      const judge = rule.on[effect.does] as EffectTest<Effect> | undefined
      if (judge === true || judge?.(effect, command, scene)) return true
    }
  }
  if (rule.forkBomb && command.callsItself && isForkBomb(command, scene)) return true
  if (rule.strict && scene.settings.opaque_verdict !== 'deny') return false
  return rule.command?.(command, scene) === true
}

// a program that nobody knows may run what has a command's name
const wordsWithCommands = ({ args }: SimpleCommand) =>
  args.some((arg) => arg.split(/[^\w./-]+/).some(isCommand)) ? args : []

// such a call stands in its own function, in a pipe, in the background, or twice
function isForkBomb({ background, pipedFrom, path }: SimpleCommand, { script }: GuardInput): boolean {
  const calls = script.commands.filter((other) => other.callsItself && other.path === path)
  return background || pipedFrom !== null || calls.length > 1
}

// git -c alias.x='!CODE', tar --checkpoint-action=exec=CODE, and the strings of python's code
function suspectsOf(command: SimpleCommand, { script }: GuardInput): readonly SimpleCommand[] {
  if (command.suspects) return command.suspects
  let hides = false
  for (const effect of effectsOf(command)) hides ||= effect.does === 'runs' && effect.what === 'hidden'
  const isStranger = !!command.path && callOf(command).program === null
  if (!hides && !isStranger && !command.code?.text) return (command.suspects = [])
  const words = hides ? command.args : isStranger ? wordsWithCommands(command) : []
  const tail = words.slice(words.findIndex(isCommand)).join(' ')
  const handed = [...words, tail]
    .filter((arg) => arg.includes(' '))
    .map((arg) => arg.replace(/^[\w.-]*=(?:exec=)?|^!|^[\w.-]*=!|^-[A-Z]{1,2}(?=[a-z])/g, '').replace(/^!/, ''))
  const codes = [...(command.code?.text ? scriptsIn(command.code.text) : []), ...handed]
  command.suspects = codes.slice(0, MAX_SUSPECTS).flatMap(script.apart)
  return command.suspects
}
