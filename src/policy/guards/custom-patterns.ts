/** `custom_deny_patterns` and `custom_allow_patterns`: tried on every simple command, its words and its source, and on the whole script. */
import type { Finding } from '../../schema/index.ts'
import type { Scene } from '../context.ts'
import { toMatcher } from '../patterns.ts'
import { type Script, type SimpleCommand, valuesOf } from '../shell/script.ts'

/** Texts longer than this are tried in their first part only. */
const MAX_TRIED = 16_384
function textsOf(command: SimpleCommand): string[] {
  const words = command.words.map((word) => word.literal ?? valuesOf(word)?.join(' ') ?? word.source).join(' ')
  return [words.slice(0, MAX_TRIED), command.source]
}

/** Whether an allow pattern matches this command, or the one that runs it, from both its texts. */
export function isExempt(command: SimpleCommand, script: Script, patterns: readonly string[]): boolean {
  if (patterns.length === 0 || command.path === null || command.path === '') return false
  // whole words and source must both agree: quotes must not make one look like something else
  const allowed = (one: SimpleCommand) =>
    patterns.some((pattern) => textsOf(one).every((text) => toMatcher(pattern)?.(text)))
  if (command.unknownArgs || command.redirections.length > 0) return false
  return allowed(command) && script.opaque.length === 0
}

/** The findings of the operator's deny patterns; an allow pattern on the same command takes precedence. */
export function customFindings(scene: Scene): Finding[] {
  const { settings, script } = scene
  const found: Finding[] = []
  settings.custom_deny_patterns.forEach((pattern, index) => {
    const matches = toMatcher(pattern)
    // a pattern that cannot be had stopped the start
    if (!matches) return
    const hit = script.commands.filter((command) => textsOf(command).some((text) => matches(text)))
    const judged = hit.filter((command) => !isExempt(command, script, settings.custom_allow_patterns))
    const whole = hit.length === 0 && matches(script.source.slice(0, MAX_TRIED))
    if (judged.length === 0 && !whole) return
    found.push({
      guard: 'deny-patterns',
      verdict: 'deny',
      risk: 'high',
      rule: `custom:${index}`,
      command: judged[0]?.source ?? null,
      reason: `It matches the refused pattern ${pattern.slice(0, 200)}`,
    })
  })
  return found
}
