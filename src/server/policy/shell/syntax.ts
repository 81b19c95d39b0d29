/** The only file that uses `unbash`, a Bash parser. shell-differences.ts rejects what dash, mksh or ash read differently. */
import { type Command, type ParsedScript, parse, type SyntaxNode } from 'unbash'

export type * from 'unbash'
/** Visits the direct children of a node, substitutions included. */
export { forEachChild } from 'unbash'
/** One kind of node. */
export type NodeOf<Type extends SyntaxNode['type']> = Extract<SyntaxNode, { type: Type }>
/** The parts of a simple command in source order. */
export const itemsOf = ({ prefix, name, suffix }: Command) =>
  name ? [...prefix, name, ...suffix] : [...prefix, ...suffix]

const MAX_BRACKETS = 100
const MAX_HERE_DOCUMENTS = 400
const MAX_PARTS = 20_000
const MAX_MARKS = 60_000
// counts signs inside quotes, too. The last two alternatives separate words or parts of a word.
const signs = /<<|[(){}|;&$`<>\n]|(["'\\*?[=~]|[ \t]+)/g

// counts before parsing, because the parser takes quadratic time in nesting depth, pending here-documents and parts
function isTooMuch(source: string): boolean {
  let [depth, hereDocuments, parts, marks] = [0, 0, 0, 0]
  for (const [sign, mark] of source.matchAll(signs)) {
    if (mark === undefined) parts += 1
    else marks += 1
    if (sign === '(' || sign === '{') depth += 1
    else if (sign === ')' || sign === '}') depth = Math.max(0, depth - 1)
    else if (sign === '<<') hereDocuments += 1
    const isOver = parts > MAX_PARTS || marks > MAX_MARKS
    if (isOver || depth > MAX_BRACKETS || hereDocuments > MAX_HERE_DOCUMENTS) return true
  }
  return false
}

/** Returns the syntax tree of a script; null if parsing it would take too long or overflow the stack. */
export function readSyntax(source: string): ParsedScript | null {
  if (source.length > MAX_BRACKETS && isTooMuch(source)) return null
  try {
    return parse(source)
  } catch {
    return null /* stack overflow */
  }
}

/** Whether the script may contain functions, arithmetic, subscripts or expansions that a shell accepts although the parser reports an error. */
export const isParserStricter = (source: string) => /[`[(]|\$\{[^\w]|\bfunction\b/.test(source)

/** Returns why a shell will reject the script, such as "expected 'fi' to close 'if'"; null if no error is certain. */
export function syntaxError(source: string): string | null {
  return isParserStricter(source) ? null : (readSyntax(source)?.errors?.at(-1)?.message ?? null)
}
