/** Records each simple command of the syntax tree once, with everything that it runs, and follows `cd` and function calls. */
import { assigned, programOf } from '../programs/index.ts'
import {
  changeDirectory,
  type Flow,
  union,
  unreachable,
  type Directories,
  withNamesSet,
  unchanged,
} from '../script/directories.ts'
import { run } from './running.ts'
import {
  type Assignment,
  changedWord,
  type Redirection,
  type SimpleCommand,
  unknownWord,
  valuesOf,
  type Word,
} from '../script/script.ts'
import type { Walk } from './state.ts'
import { type Command, type CommandArgument, itemsOf, type Redirection as RedirectionNode } from './syntax.ts'
import { resolve } from './resolve-words.ts'

/** Records a simple command and returns it. A second visit (the next round of a loop) only adds directories. */
export function walkSimple(node: Command, walk: Walk): SimpleCommand | undefined {
  const known = walk.seen.get(node)
  for (const one of known ?? []) one.directories = grown(one.directories, walk.here.directories)
  if (known) return known[0]
  const scope = scopeOf(walk)
  const words: Word[] = []
  const assignments: Assignment[] = []
  const redirections: Redirection[] = []
  for (const item of itemsOf(node)) {
    if (item.type === 'Word') words.push(resolve(item, scope))
    else if (item.type !== 'Assignment') redirections.push(redirectionOf(item, walk))
    else if (words.length > 0) words.push(assignedWord(item, walk))
    else if (item.value.type === 'Word') assignments.push({ name: item.name, word: resolve(item.value, scope) })
  }
  if (assignments.length > 0) walk.syntax.add('assignment')
  const start = walk.commands.length
  const source = walk.source.slice(node.pos, node.end).slice(0, 500)
  run({ words, assignments, redirections, wrappers: walk.wrappers, source, fed: false }, inLine(node.pos, walk))
  const mine = walk.commands.slice(start)
  walk.seen.set(node, mine)
  return mine[0]
}

// inside a function, the position of the call is unknown, so every variable counts as set
const scopeOf = ({ scope, here, inFunctions }: Walk) => (inFunctions.length > 0 ? scope : { ...scope, set: here.set })

/** Returns the walk at an offset of the source. In a script file, it gets the line number. */
export function inLine(at: number, walk: Walk): Walk {
  if (walk.file === null || walk.line !== null) return walk
  return { ...walk, line: walk.source.slice(0, at).split('\n').length }
}

const grown = (known: Directories, more: Directories): Directories =>
  known && more && [...new Set([...known, ...more])].slice(0, 64)

// NAME=value after the command's name
function assignedWord({ text, name, value }: Exclude<CommandArgument, { type: 'Word' }>, walk: Walk): Word {
  if (value.type !== 'Word') return unknownWord(text)
  return { ...changedWord(resolve(value, walk.scope), (given) => `${name}=${given}`), source: text }
}

/** Resolves a redirection of a command and records its syntax. */
export function redirectionOf(node: RedirectionNode, walk: Walk): Redirection {
  const { operator } = node
  walk.syntax.add(node.type === 'HereDoc' ? 'here-document' : 'control')
  const named = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : null
  const descriptor = named ?? (operator.startsWith('<') ? 0 : 1)
  if (node.type === 'HereDoc') {
    const fixed = node.delimiter?.quoted || !/[$`\\]/.test(node.body.text)
    return { operator, descriptor, target: null, text: fixed ? node.body.text : null }
  }
  const target = node.target ? resolve(node.target, walk.scope) : null
  return { operator, descriptor, target, text: node.type === 'HereString' ? (target?.literal ?? null) : null }
}

/** Returns the words of a command without any leading `command` and `builtin`. */
export function calledBy(made: SimpleCommand | undefined): readonly Word[] {
  const words = made?.path ? made.words : []
  let at = 0
  while (at < words.length - 1 && (words[at]!.literal === 'command' || words[at]!.literal === 'builtin')) at += 1
  return words.slice(at)
}

/** Returns the flow after a command that is not a function. */
export function flowOf(made: SimpleCommand | undefined, walk: Walk): Flow {
  const { here } = walk
  if (made?.path === '') return unchanged(withNamesSet(here, ...made.assignments.map(({ name }) => name)))
  const at = calledBy(made)
  const name = at[0]?.literal
  const declared = made && programOf(name ?? '')?.declares ? assigned(made) : []
  if (declared.length > 0) return unchanged(withNamesSet(here, ...declared.map((one) => one.name)))
  if (name === 'set' && !walk.compound && at.some(({ literal }) => /^-\w*e|^errexit$/.test(literal ?? ''))) {
    return { ok: withNamesSet(here, '-e'), fail: unreachable }
  }
  if (made && endsHere(made, at, walk)) return unchanged(unreachable)
  if (name === 'true' || name === ':') return { ok: here, fail: unreachable }
  if (name === 'false') return { ok: unreachable, fail: here }
  if (name !== 'cd' && name !== 'pushd' && name !== 'popd' && name !== 'chdir') return unchanged(here)
  return { ok: changeDirectory(here, targetsOf(at.slice(1), name, walk)), fail: here }
}

// bash continues after `return` outside a function, and after an `exit` or `return` with another argument or a redirection that fails. Every shell
// continues after an `exec` of redirections alone, and bash after one of a missing program with execfail set, so no `exec` counts.
function endsHere(
  { redirections }: SimpleCommand,
  [name, code, ...more]: readonly Word[],
  { here, returned }: Walk,
): boolean {
  const isPlain = redirections.length === 0 && more.length === 0 && /^\d*$/.test(code ? (code.literal ?? 'x') : '')
  if (!isPlain || name?.literal !== 'return' || returned === null) return isPlain && name?.literal === 'exit'
  returned.here = union(returned.here, here)
  return true
}

function targetsOf(args: readonly Word[], name: string, walk: Walk): readonly string[] | null {
  if (name === 'popd') return ['.']
  const operands = args.filter((word) => !/^-[LPe@]*$|^--$/.test(word.literal ?? '') || word.literal === '-')
  const physical = args.some((word) => word.literal?.includes('P') && word.literal.startsWith('-'))
  if (operands.length === 0) return walk.scope.environment.HOME === undefined ? null : [walk.scope.environment.HOME]
  const values = operands[0]!.literal === '-' ? null : valuesOf(operands[0]!)
  // CDPATH can make a relative name lead to another directory
  if (walk.scope.variables.has('CDPATH') && !values?.every((value) => /^\.{0,2}\//.test(value))) return null
  return physical && values?.some((value) => value.includes('..')) ? null : values
}
