/** The one file that knows `unbash`: a Bash parser. What it reads otherwise than dash, mksh or ash is survey.ts's to refuse. */
import { forEachChild, type ParsedScript, parse, type SyntaxNode } from 'unbash'

export type * from 'unbash'

const MAX_BRACKETS = 100
const MAX_HERE_DOCUMENTS = 400
const MAX_PARTS = 40_000
// quotes are not looked at: what they hold counts as well
const signs = /<<|[(){}|;&$`<>\n]/g

// the parser's time grows with the square of what nests or waits: counted in one pass before it
function isTooMuch(source: string): boolean {
  let [depth, hereDocuments, parts] = [0, 0, 0]
  for (const [sign] of source.matchAll(signs)) {
    parts += 1
    if (sign === '(' || sign === '{') depth += 1
    else if (sign === ')' || sign === '}') depth = Math.max(0, depth - 1)
    else if (sign === '<<') hereDocuments += 1
    if (depth > MAX_BRACKETS || hereDocuments > MAX_HERE_DOCUMENTS || parts > MAX_PARTS) return true
  }
  return false
}

/** The syntax tree of a script; null where it asks too much of the parser. */
export function readSyntax(source: string): ParsedScript | null {
  if (source.length > MAX_BRACKETS && isTooMuch(source)) return null
  try {
    return parse(source)
  } catch {
    return null /* deeper than the stack */
  }
}

/** The direct children of a node, substitutions included. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  forEachChild(node, (child) => {
    children.push(child)
  })
  return children
}
