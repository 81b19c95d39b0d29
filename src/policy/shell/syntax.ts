/** The one file that knows `unbash`: a Bash parser. What it reads otherwise than dash, mksh or ash is survey.ts's to refuse. */
import { forEachChild, type ParsedScript, parse, type SyntaxNode } from 'unbash'

export type * from 'unbash'

/** The syntax tree of a script; null where the parser gave up with an exception (nesting). */
export function readSyntax(source: string): ParsedScript | null {
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
