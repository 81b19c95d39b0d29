/** Proves that a script can change neither the directory nor the variables of its shell. */
import { forEachChild, type NodeOf, readSyntax, type SyntaxNode } from './syntax.ts'

/** Every builtin of dash, bash, mksh and busybox ash, except those that change nothing in any of them. */
const builtins = new Set(
  '. [ alias autoload bg bind break builtin caller cd chdir command compgen complete compopt continue coproc declare dirs disown enable eval exec exit export fc fg function getopts global hash help history integer jobs kill let local logout login mapfile mknod nameref newgrp popd print printf pushd read readarray readonly rename return set shift shopt source stop suspend test time times trap type typeset ulimit umask unalias unset wait whence which'.split(
    ' ',
  ),
)

/** The nodes that all shells read in the same way, and that assign nothing. Their children are checked, too. */
const harmless = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'Pipeline',
  'AndOr',
  'Word',
  'Literal',
  'Glob',
  'SingleQuoted',
  'DoubleQuoted',
  'SimpleExpansion',
  'FileDescriptor',
])

const PLAIN_NAME = /^[\w./+-]+$/

/**
 * Returns whether the script consists only of programs (not builtins) with plain words, in lists and pipelines. In doubt, the answer is no.
 * The shell then needs no EXIT trap for its session.
 */
export function changesNoState(source: string): boolean {
  const script = readSyntax(source)
  return script !== null && !script.errors?.length && isHarmless(script)
}

function isHarmless(node: SyntaxNode): boolean {
  if (node.type === 'Command') {
    if (!runsProgram(node)) return false
  } else if (node.type === 'Redirect') {
    if (!['>', '>>', '<'].includes(node.operator)) return false
  } else if (node.type === 'Assignment') {
    if (node.append || node.index || node.value.type !== 'Word') return false
  } else if (!harmless.has(node.type)) return false
  let isSafe = true
  forEachChild(node, (child) => void (isSafe &&= isHarmless(child)))
  return isSafe
}

function runsProgram({ name, suffix }: NodeOf<'Command'>): boolean {
  if (name === undefined || name.parts?.some(({ type }) => type !== 'Literal')) return false
  return PLAIN_NAME.test(name.text) && !builtins.has(name.text) && suffix.every(({ type }) => type !== 'Assignment')
}
