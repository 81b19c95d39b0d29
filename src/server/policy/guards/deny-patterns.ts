/** PicoClaw's categories of denied commands, recognised by their effects rather than their text, and the operator's own patterns. */
import type { Finding } from '../../../shared/schema/index.ts'
import { effectsOf } from '../programs/index.ts'
import { type SimpleCommand, valuesOf } from '../script/script.ts'
import { namesDisk, outputsToDisk, takesDisks } from './disk-targets.ts'
import { type Rule, rulesOf, type GuardInput, displayed, applyRules } from './rule.ts'

const common = { guard: 'deny-patterns', verdict: 'deny', risk: 'high' } as const

export const denyRules: readonly Rule[] = rulesOf(common, {
  'recursive-delete': {
    reason: 'Recursive or forced deletion is refused: delete single files by name.',
    on: {
      deletes: ({ how, recursive, forced }) =>
        how === 'hands' || (how === undefined && (recursive === true || forced === true)),
    },
  },
  'windows-delete': { reason: 'Forced deletion is refused.', on: { erases: true } },
  'disk-format': { reason: 'Formatting disks is refused.', on: { formats: true } },
  'disk-image': { reason: 'dd is refused: use cp, head or your file tool.', on: { images: true } },
  'block-device': {
    reason: 'Writing to a device is refused.',
    on: {
      writes: (effect, command, scene) => !effect.code && namesDisk(effect, command, scene),
      unknown: takesDisks,
    },
    command: outputsToDisk,
  },
  power: { reason: 'Shutting the device down is refused.', on: { power: true } },
  'fork-bomb': { reason: 'A fork bomb is refused.', forkBomb: true },
  sudo: { reason: 'Running as another user is refused.', on: { privilege: true } },
  permissions: { reason: 'Changing permissions or owners is refused.', on: { permits: true } },
  kill: {
    reason: 'Killing processes by force or by name is refused: end your own with kill PID.',
    on: { kills: ({ hard }) => hard },
  },
  ssh: { reason: 'Remote shells are refused.', on: { network: ({ shell }) => shell === true } },
  eval: { reason: 'eval is refused: write the command out.', on: { evaluates: true } },
  source: { reason: 'Sourcing a script is refused.', on: { sources: true } },
  'download-to-shell': {
    reason: 'Downloading code and running it in one go is refused.',
    on: {
      runs: ({ what }, { pipedFrom }) =>
        what === 'input' && pipedFrom !== null && effectsOf(pipedFrom).some(({ does }) => does === 'network'),
    },
  },
  'npm-global': {
    reason: 'Installing for the whole system or user is refused: install inside the project.',
    on: { installs: ({ wide }) => wide === 'user' },
  },
  'system-packages': {
    reason: 'Changing system packages is refused.',
    on: { installs: ({ wide }) => wide === 'system' },
  },
  containers: { reason: 'Running containers is refused.', on: { contains: true } },
  'git-push': { reason: 'git push is refused: ask the user to push.', on: { publishes: true } },
  'command-substitution': {
    reason: 'Command substitution is refused: run the inner command on its own first.',
    syntax: ['command-substitution'],
  },
  'variable-expansion': {
    reason: '${…} is refused: write the value, or $NAME.',
    syntax: ['parameter-expansion'],
  },
  heredoc: {
    reason: 'Here-documents are refused: write the file with your file tool.',
    syntax: ['here-document'],
  },
  'pipe-to-shell': {
    reason: 'Piping into a shell or an interpreter is refused: save the script, read it, then run it.',
    on: { runs: ({ what }, { pipedFrom }) => what === 'input' && pipedFrom !== null },
  },
  opaque: {
    verdict: 'opaque',
    risk: 'medium',
    reason: 'It is unclear what this would run. Write the commands out in full.',
    doubts: 'all',
  },
})

/** Returns the findings of the deny list. An allow pattern exempts only the commands that it matches, never the whole chain. */
export function denyPatterns(scene: GuardInput): Finding[] {
  const { settings, script } = scene
  const custom = settings.custom_deny_patterns.flatMap((pattern, index) => customFinding(pattern, index, scene))
  if (!settings.enable_deny_patterns) return custom
  const { custom_allow_patterns: exempting } = settings
  const isJudged = (command: SimpleCommand) => !isExempt(command, exempting, scene)
  const judged = exempting.length > 0 ? script.commands.filter(isJudged) : script.commands
  // syntax belongs to the whole script, so it is exempt only if every command is
  if (judged.length === 0 && script.commands.length > 0) return custom
  return [...applyRules(denyRules, scene, judged), ...custom]
}

/** Maximum number of characters, from the start of a text, on which a pattern is tried. */
const MAX_TRIED = 16_384

// the operator's patterns are tried on the words of a command and on its source
function textsOf({ words, source }: SimpleCommand): string[] {
  const text = words.map((word) => word.literal ?? valuesOf(word)?.join(' ') ?? word.source).join(' ')
  return [text.slice(0, MAX_TRIED), source]
}

// whether an allow pattern matches both texts of a command, so that quotes cannot disguise it
function isExempt(command: SimpleCommand, patterns: readonly string[], { script, trials }: GuardInput): boolean {
  if (!command.path || script.opaque.length > 0) return false
  if (command.unknownArgs || command.redirections.length > 0) return false
  return patterns.some((_, index) => textsOf(command).every((text) => trials.matches(patterns, index, text)))
}

// an allow pattern on the same command takes precedence
function customFinding(pattern: string, index: number, scene: GuardInput): Finding[] {
  const { script, settings, trials } = scene
  // the service does not start with patterns that do not compile
  const matches = (text: string) => trials.matches(settings.custom_deny_patterns, index, text)
  const hit = script.commands.filter((command) => textsOf(command).some(matches))
  const judged = hit.find((command) => !isExempt(command, settings.custom_allow_patterns, scene))
  if (!judged && (hit.length > 0 || !matches(script.source.slice(0, MAX_TRIED)))) return []
  const reason = `The command matches the denied pattern ${pattern.slice(0, 200)}`
  return [
    {
      guard: 'deny-patterns',
      verdict: 'deny',
      risk: 'high',
      rule: `custom:${index}`,
      command: displayed(judged ?? null, scene),
      reason,
    },
  ]
}
