/**
 * Regular expressions of owners and callers, matched in linear time by RE2: no pattern runs away, and none has back references or
 * look-around.
 */
import { RE2JS } from 're2js'

const MAX_PATTERN_LENGTH = 500
const MAX_KNOWN = 2_000

const known = new Map<string, RE2JS | string>()

function read(pattern: string): RE2JS | string {
  if (pattern.length > MAX_PATTERN_LENGTH) return `longer than ${MAX_PATTERN_LENGTH} characters`
  if (/\\[1-9k]/.test(pattern.replaceAll('\\\\', ''))) return 'can run away (a back reference)'
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    return `does not compile (${error instanceof Error ? error.message : error})`
  }
}

function readOnce(pattern: string): RE2JS | string {
  const before = known.get(pattern)
  if (before !== undefined) return before
  if (known.size >= MAX_KNOWN) known.clear()
  const made = read(pattern)
  known.set(pattern, made)
  return made
}

/** What tries a pattern on a text, anywhere in it; null where the pattern cannot be had. */
export function toMatcher(pattern: string): ((text: string) => boolean) | null {
  const made = readOnce(pattern)
  return typeof made === 'string' ? null : (text) => made.test(text)
}

/** What is wrong with a pattern, in words; null: nothing. */
export function patternTrouble(pattern: string): string | null {
  const made = readOnce(pattern)
  return typeof made === 'string' ? made : null
}
