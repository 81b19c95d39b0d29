/**
 * Regular expressions of owners and callers, matched by RE2: none has back references or look-around, and the time of a match grows with
 * the text times the pattern's steps. Both are bounded, since a repetition multiplies the steps: `(a|b){1,900}` has thousands.
 */
import { RE2JS } from 're2js'

const MAX_PATTERN_LENGTH = 500
/** Steps of one pattern with its repetitions written out. */
const MAX_STEPS = 2_000
/** Steps times characters in one decision, about a second. */
const MAX_WORK = 50_000_000
/** Compiling a step costs as much as matching it against this many characters. */
const COMPILE_CHARACTERS = 2_000
/** Patterns that a caller may suppose, and the steps of all of them together. */
export const SUPPOSED = { patterns: 100, steps: 5_000 } as const

/** A pattern that is ready to be tried. */
interface Compiled {
  expression: RE2JS
  steps: number
}

/** What is wrong with a pattern, in words; null: nothing. */
export function patternError(pattern: string): string | null {
  const made = compile(pattern)
  return 'trouble' in made ? made.trouble : null
}

function compile(pattern: string): Compiled | { trouble: string } {
  const trouble = boundsTrouble(pattern)
  if (trouble !== null) return { trouble }
  try {
    return { expression: RE2JS.compile(pattern), steps: stepsOf(pattern) }
  } catch (error) {
    return { trouble: `does not compile (${error instanceof Error ? error.message : error})` }
  }
}

/** Why a pattern is not even compiled; null: it is. */
function boundsTrouble(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return `longer than ${MAX_PATTERN_LENGTH} characters`
  if (/\\[1-9k]/.test(pattern.replaceAll('\\\\', ''))) return 'can run away (a back reference)'
  const steps = stepsOf(pattern)
  return steps > MAX_STEPS ? `its repetitions make ${steps} steps, more than ${MAX_STEPS}` : null
}

// a class of Unicode counts as the many ranges that it stands for
const UNICODE_STEPS = 30
const parts =
  /(?<flags>\(\?[A-Za-z-]*\))|(?<open>\((?:\?(?:P?<\w*>|[A-Za-z-]*:))?)|(?<close>\))|(?<or>\|)|(?<unicode>\\[pP](?:\{[^}]*\}|.))|(?<quoted>\\Q.*?(?:\\E|$))|(?<class>\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?)|(?<times>\{(?<least>\d+)(?<more>,(?<most>\d*))?\}|[*+?])|\\?./gsu

/** How many steps a pattern has with its repetitions written out: never too few. */
export function stepsOf(pattern: string): number {
  // of each open group: the steps before its last part, and those of that part, which a repetition multiplies
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

/** What a repetition makes of so many steps: each copy, and a step for each that may be left out or comes again. */
function repeated(steps: number, { least, more, most }: Record<string, string | undefined>): number {
  const fewest = Number(least ?? 0)
  const copies = most ? Number(most) : Math.max(fewest, 1)
  return copies * steps + (more !== undefined || least === undefined ? Math.max(copies - fewest, 1) : 0)
}

/** Compiled once for each list of settings, and gone with it. */
const compiledLists = new WeakMap<readonly string[], readonly (Compiled | null)[]>()

function compiledList(patterns: readonly string[]): readonly (Compiled | null)[] {
  const known = compiledLists.get(patterns)
  if (known) return known
  const made = patterns.map(compile).map((one) => ('trouble' in one ? null : one))
  compiledLists.set(patterns, made)
  return made
}

/** Tries patterns within the bound of one decision; past it every trial throws, and the guard that asked refuses. */
export class PatternTrials {
  #left = MAX_WORK

  /** Whether the pattern at `index` of a list of settings matches somewhere in a text; one that does not compile matches nothing. */
  matches(patterns: readonly string[], index: number, text: string): boolean {
    const made = compiledList(patterns)[index]
    return made ? this.#test(made, text) : false
  }

  /** Tries a pattern that stands in a command, and forgets it; null where it does not compile or is over the bounds. */
  once(pattern: string): ((text: string) => boolean) | null {
    if (boundsTrouble(pattern) !== null) return null
    this.#spend(stepsOf(pattern) * COMPILE_CHARACTERS)
    const made = compile(pattern)
    return 'trouble' in made ? null : (text) => this.#test(made, text)
  }

  #test({ expression, steps }: Compiled, text: string): boolean {
    this.#spend(steps * (text.length + 1))
    return expression.test(text)
  }

  #spend(work: number): void {
    this.#left -= work
    if (this.#left < 0) throw new Error('too much for one decision')
  }
}
