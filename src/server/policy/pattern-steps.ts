/**
 * Regular expressions from owners and callers, matched by RE2, which has no back references and no look-around. The time of a match grows
 * with the length of the text times the steps of the pattern. Both are limited, because a repetition multiplies steps: `(a|b){1,900}`.
 */
import type { RE2JS } from 're2js'
import { re2 } from '../../shared/package/index.ts'

const MAX_PATTERN_LENGTH = 500
/** Maximum number of steps in one pattern with its repetitions expanded. */
const MAX_STEPS = 2_000
/** Maximum product of steps and characters per decision: about one second of work. */
const MAX_WORK = 50_000_000
/** Compiling a step costs as much as matching it against this many characters. */
const COMPILE_CHARACTERS = 2_000
/** Limits on the patterns that a caller may supply with a request: their number, and their total number of steps. */
export const SUPPLIED = { patterns: 100, steps: 5_000 } as const

/** A compiled pattern with its number of steps. */
interface CompiledPattern {
  expression: RE2JS
  steps: number
}

/** Returns what is wrong with a pattern; null if it is valid. */
export function patternError(pattern: string): string | null {
  const made = compile(pattern)
  return 'error' in made ? made.error : null
}

function compile(pattern: string): CompiledPattern | { error: string } {
  const error = boundsError(pattern)
  if (error !== null) return { error }
  try {
    return { expression: re2().compile(pattern), steps: stepsOf(pattern) }
  } catch (error) {
    return { error: `does not compile (${error instanceof Error ? error.message : error})` }
  }
}

/** Returns why a pattern is rejected before it is compiled; null if it is acceptable. */
function boundsError(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return `longer than ${MAX_PATTERN_LENGTH} characters`
  if (/\\[1-9k]/.test(pattern.replaceAll('\\\\', ''))) return 'contains a back reference, which RE2 does not support'
  const steps = stepsOf(pattern)
  return steps > MAX_STEPS ? `expands to ${steps} steps, more than ${MAX_STEPS}` : null
}

// steps for a Unicode class, which consists of many ranges
const UNICODE_STEPS = 30
const parts =
  /(?<flags>\(\?[A-Za-z-]*\))|(?<open>\((?:\?(?:P?<\w*>|[A-Za-z-]*:))?)|(?<close>\))|(?<or>\|)|(?<unicode>\\[pP](?:\{[^}]*\}|.))|(?<quoted>\\Q.*?(?:\\E|$))|(?<class>\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?)|(?<times>\{(?<least>\d+)(?<more>,(?<most>\d*))?\}|[*+?])|\\?./gsu

/** Returns the number of steps in a pattern with its repetitions expanded; an upper bound. */
export function stepsOf(pattern: string): number {
  // for each open group: the steps before its last part, and the steps of the last part, which a repetition multiplies
  const groups = [{ before: 4, last: 0 }]
  const add = (steps: number) => {
    const group = groups.at(-1)!
    group.before += group.last
    group.last = steps
  }
  for (const { 0: text, groups: found = {} } of pattern.matchAll(parts)) {
    if (found.flags) continue
    if (found.open) groups.push({ before: 3, last: 0 })
    else if (found.close && groups.length > 1) {
      const { before, last } = groups.pop()!
      add(before + last)
    } else if (found.times) groups.at(-1)!.last = repeated(groups.at(-1)!.last, found)
    else if (found.unicode) add(UNICODE_STEPS)
    else if (found.class) add(/\\[pP]/.test(text) ? UNICODE_STEPS : 1)
    else add(found.quoted ? text.length : 1)
  }
  return groups.reduce((sum, { before, last }) => sum + before + last, 0)
}

/** Returns the steps of a repeated part: the steps of every copy, plus one for each copy that is optional or repeats. */
function repeated(steps: number, { least, more, most }: Record<string, string | undefined>): number {
  const fewest = Number(least ?? 0)
  const copies = most ? Number(most) : Math.max(fewest, 1)
  return copies * steps + (more !== undefined || least === undefined ? Math.max(copies - fewest, 1) : 0)
}

/** The compiled patterns of each list in the settings, garbage-collected with the list. */
const compiledLists = new WeakMap<readonly string[], readonly (CompiledPattern | null)[]>()

function compiledList(patterns: readonly string[]): readonly (CompiledPattern | null)[] {
  const known = compiledLists.get(patterns)
  if (known) return known
  const made = patterns.map(compile).map((one) => ('error' in one ? null : one))
  compiledLists.set(patterns, made)
  return made
}

/** Tries patterns within the work limit of one decision. Beyond the limit every trial throws, and the guard denies. */
export class PatternTrials {
  #left = MAX_WORK

  /** Returns whether the pattern at `index` of a list matches anywhere in a text; false if the pattern does not compile. */
  matches(patterns: readonly string[], index: number, text: string): boolean {
    const made = compiledList(patterns)[index]
    return made ? this.#test(made, text) : false
  }

  /** Compiles a pattern from a command without caching it; returns null if it does not compile or exceeds the limits. */
  once(pattern: string): ((text: string) => boolean) | null {
    if (boundsError(pattern) !== null) return null
    this.#spend(stepsOf(pattern) * COMPILE_CHARACTERS)
    const made = compile(pattern)
    return 'error' in made ? null : (text) => this.#test(made, text)
  }

  #test({ expression, steps }: CompiledPattern, text: string): boolean {
    this.#spend(steps * (text.length + 1))
    return expression.test(text)
  }

  #spend(work: number): void {
    this.#left -= work
    if (this.#left < 0) throw new Error('The patterns exceed the work limit of one decision.')
  }
}
