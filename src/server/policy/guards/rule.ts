/** A rule is a row: the effects, syntax or doubts it applies to, its verdict and its reason. Examples: test/fixtures/policy/rules.txt. */
import { isWithin, type Finding, type Risk, type Verdict } from '../../../shared/schema/index.ts'
import { callOf, type Effect, effectsOf, isCommand, scriptsIn, startedBy } from '../programs/index.ts'
import type { PolicySettings } from '../policy-settings.ts'
import type { PatternTrials } from '../pattern-steps.ts'
import type { Script, SimpleCommand, Syntax } from '../script/script.ts'

/** The input of every guard: one script, where it would run, the settings, and lookups. */
export interface GuardInput {
  script: Script
  cwd: string
  home: string
  prefix: string // Termux's $PREFIX; '/usr' elsewhere
  serviceHome: string
  servicePid: number
  servicePort: number // 0: unknown
  settings: PolicySettings
  byPerson: boolean // the command comes from a person who can answer approval requests
  workspace: string // the workspace root unless `workspace_dir` is set
  requestText: string // all text of the request, with every run of white space collapsed into one space
  trials: PatternTrials
  /** resolves the symbolic links in the longest existing part of an absolute path; returns null on failure */
  realpath: (path: string) => string | null
}

/** The effects of a kind that a rule applies to; true: all of them. */
export type EffectTest<Kind> = true | ((effect: Kind, command: SimpleCommand, scene: GuardInput) => boolean)
type Does = Effect['does']
export type EffectOf<Kind extends Does> = Extract<Effect, { does: Kind }>

export interface Rule {
  guard: GuardName
  name: string
  /** 'opaque': the setting `opaque_verdict` decides; 'private': `private_data` decides; 'setting': the risk settings decide */
  verdict: Verdict | 'opaque' | 'private' | 'setting'
  risk: Risk
  reason: string // for the agent: what was denied, and what to do instead
  /** the effects of a simple command to which the rule applies, by kind */
  on?: { readonly [Kind in Does]?: EffectTest<EffectOf<Kind>> }
  /** a test for conditions that effects cannot express */
  command?: (command: SimpleCommand, scene: GuardInput) => boolean
  forkBomb?: true // applies to a function that calls itself the way a fork bomb does
  syntax?: readonly Syntax[] // applies to a script that contains any of this syntax
  doubts?: 'all' | 'dynamic' // applies to the parser's doubts; 'dynamic': all except syntax errors, at which the shell stops
  inHome?: true // applies to a script that runs in the service's own directory
  strict?: true // `command` is tested only if `opaque_verdict` is deny
  suspects?: true // also applies to suspects: commands in strings of another language's code
}

/** All guards, in the order of their findings. */
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

/** Creates rules from their names and common properties. */
export const rulesOf = (
  common: Common,
  rules: Record<string, Partial<Common> & Omit<Rule, keyof Common | 'name'>>,
): Rule[] => Object.entries(rules).map(([name, rule]) => ({ ...common, name, ...rule }))

/** Maximum number of findings of one guard. */
export const MAX_FINDINGS = 50
const MAX_SUSPECTS = 64

/** Creates the finding of a rule. */
export function findingFor(rule: Rule, scene: GuardInput, command: SimpleCommand | null): Finding {
  const { guard, risk, name, reason } = rule
  const verdict = verdictOf(rule, scene)
  return { guard, verdict, risk, rule: name, command: displayed(command, scene), reason }
}

function verdictOf({ verdict }: Rule, { settings, byPerson }: GuardInput): Verdict {
  if (verdict === 'opaque') return settings.opaque_verdict
  if (verdict === 'setting') return 'allow'
  if (verdict !== 'private') return verdict
  return settings.private_data === 'ask_agents' ? (byPerson ? 'allow' : 'ask') : settings.private_data
}

/** Returns how a finding shows its command: by position in a script file, otherwise as text. Never shows the contents of a file. */
export function displayed(command: SimpleCommand | null, { script, requestText }: GuardInput): string | null {
  if (command === null) return null
  if (command.file) return `${command.file.path}:${command.file.line}`
  // xargs or a variable may have taken words from a file
  const isInRequest = script.files.length === 0 || requestText.includes(withSingleBlanks(command.source))
  return isInRequest ? command.source : null
}

/** Normalises a text for comparison: collapses every run of white space into one space. */
export const withSingleBlanks = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Applies every rule to the whole script and to every command. */
export function applyRules(rules: readonly Rule[], scene: GuardInput, commands = scene.script.commands): Finding[] {
  const findings: Finding[] = []
  const { cwd, serviceHome } = scene
  const { syntax, opaque } = scene.script
  const done = effectKindsOf(scene, commands)
  for (const rule of rules) {
    const doubted = rule.doubts && opaque.some((kind) => rule.doubts === 'all' || kind !== 'syntax-error')
    const speaks =
      doubted || rule.syntax?.some(syntax.has, syntax) || (rule.inHome && isWithin({ path: cwd, root: serviceHome }))
    if (speaks) findings.push(findingFor(rule, scene, null))
    if (!mayApply(rule, done)) continue
    for (const command of commands) {
      // doubts about a script file are ignored; only what is certain counts
      if (findings.length >= MAX_FINDINGS || (rule.verdict === 'opaque' && command.file?.certain)) continue
      if (
        appliesTo(rule, command, scene) ||
        (rule.suspects && suspectsOf(command, scene).some((one) => appliesTo(rule, one, scene)))
      ) {
        findings.push(findingFor(rule, scene, command))
      }
    }
  }
  return findings
}

// returns the kinds of effects of these commands, because most rules apply to none of them
function effectKindsOf(scene: GuardInput, commands: readonly SimpleCommand[]): ReadonlySet<Does> {
  const done = new Set<Does>()
  for (const command of commands) {
    for (const { does } of effectsOf(command)) done.add(does)
    for (const one of suspectsOf(command, scene)) for (const { does } of effectsOf(one)) done.add(does)
  }
  return done
}

function mayApply({ on, command, forkBomb }: Rule, done: ReadonlySet<Does>): boolean {
  if (command || forkBomb) return true
  for (const kind in on) if (done.has(kind as Does)) return true
  return false
}

function appliesTo(rule: Rule, command: SimpleCommand, scene: GuardInput): boolean {
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

// an unknown program or a script file may run an argument that is the name of a command
const wordsWithCommands = ({ args }: SimpleCommand) =>
  args.some((arg) => arg.split(/[^\w./-]+/).some(isCommand)) ? args : []

// a function that calls itself is a fork bomb if the call is in the background, in a pipe, or occurs twice
function isForkBomb({ background, pipedFrom, path }: SimpleCommand, { script }: GuardInput): boolean {
  const calls = script.commands.filter((other) => other.callsItself && other.path === path)
  return background || pipedFrom !== null || calls.length > 1
}

function runsScriptFile(command: SimpleCommand): boolean {
  const call = callOf(command)
  return (call.program?.shell || call.program?.sources) === true && startedBy(call).files.length > 0
}

// finds code in arguments (git -c alias.x='!CODE', tar --checkpoint-action=exec=CODE) and in the strings of Python code
function suspectsOf(command: SimpleCommand, { script }: GuardInput): readonly SimpleCommand[] {
  if (command.suspects) return command.suspects
  let hides = false
  for (const effect of effectsOf(command)) hides ||= effect.does === 'runs' && effect.what === 'hidden'
  const isStranger = !!command.path && (callOf(command).program === null || runsScriptFile(command))
  if (!hides && !isStranger && !command.code?.text) return (command.suspects = [])
  const words = hides ? command.args : isStranger ? wordsWithCommands(command) : []
  const tail = words.slice(words.findIndex(isCommand)).join(' ')
  const handed = [...words, tail]
    .filter((arg) => arg.includes(' '))
    .map((arg) => arg.replace(/^[\w.-]*=(?:exec=)?|^!|^[\w.-]*=!|^-[A-Z]{1,2}(?=[a-z])/g, '').replace(/^!/, ''))
  const codes = [...(command.code?.text ? scriptsIn(command.code.text) : []), ...handed]
  command.suspects = codes.slice(0, MAX_SUSPECTS).flatMap(script.parseSeparately)
  return command.suspects
}
