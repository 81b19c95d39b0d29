/** The positional parameters of code: those that a command passes, and whether the code may change them. */
import { callOf } from '../programs/index.ts'
import type { SimpleCommand, Word } from '../script/script.ts'
import type { Scope } from './resolve-words.ts'
import type { Walk } from './state.ts'

/** The values of $0, and of $1, $2 …; null: unknown. */
export type Arguments = Pick<Scope, 'zero' | 'positional'>
export const noArguments: Arguments = { zero: null, positional: [] }
export const unknownArguments: Arguments = { zero: null, positional: null }

/** Returns whether the number of arguments is unknown, so that they have no positions. */
export const areUnclear = (given: readonly Word[], { fed }: SimpleCommand): boolean =>
  fed || given.some(({ splits }) => splits)

/** Returns the arguments that a file can get. A file that is sourced without arguments gets those of the code that sources it; in dash, always. */
export function argumentsOf(made: SimpleCommand, path: string, { scope, flavour }: Walk): readonly Arguments[] {
  const { program, operands } = callOf(made)
  const given = program ? operands.slice(1) : made.words.slice(1)
  const positional = areUnclear(given, made) ? null : given
  if (!program?.sources) return [{ zero: path, positional }]
  if (given.length === 0 || flavour === 'dash') return [scope]
  const own = { zero: scope.zero, positional }
  return flavour === null ? [scope, own] : [own]
}

/** Returns whether a sourced file may run its arguments in a way that the parser cannot follow. */
export function mayObeyArguments(made: SimpleCommand, text: string, { positional }: Arguments, walk: Walk): boolean {
  const { program, operands } = callOf(made)
  if (!program?.sources || (positional !== null && !mayChangeArguments(text, walk))) return false
  if (operands.length > 1) return true
  // the request's own script has no arguments unless it sets them
  return walk.level === 0 ? mayChangeArguments(walk.source, walk) : positional?.length !== 0
}

// set, but not with a few options alone; the bound keeps the test linear
const sets =
  /\bset\b(?!(?:[ \t]+[-+][a-zA-Z]{0,8}o[ \t]+[a-z]{1,16}|[ \t]+[-+][a-zA-Z]{1,8}){1,4}[ \t]{0,9}(?:[;\n]|$))/

const changes = (code: string) => /\b(?:shift|function)\b|\(\s*\)/.test(code) || sets.test(code)

/** Returns whether code may change its positional parameters, or read those of a function. Cached, because a script can run a long file many times. */
export function mayChangeArguments(code: string, { changing }: Walk): boolean {
  const known = changing.get(code)
  if (known !== undefined) return known
  const answer = changes(code)
  changing.set(code, answer)
  return answer
}

/** Records that code changes its arguments in a way that its text does not show: `s\et`, or `set` in a file that it sources. */
export function recordChange({ changed, root, scope }: Walk): void {
  if (scope.positional !== null) changed.add(root)
}

/** Records the change if a command is `set` or `shift`. */
export function recordIfSets(name: string, words: readonly Word[], walk: Walk): void {
  if (name !== 'set' && name !== 'shift') return
  if (changes(words.map(({ literal }) => literal ?? '$').join(' '))) recordChange(walk)
}
