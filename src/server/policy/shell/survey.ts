/** The first pass over a script's syntax tree: collects every reason for doubt, and the possible values of each variable. */
import { inspect, type NodeContext } from './shell-differences.ts'
import type { Flavour, Opaque } from '../script/script.ts'
import { type Command, forEachChild, type ParsedScript, type SyntaxNode, type Word, type WordPart } from './syntax.ts'

export const MAX_NODES = 10_000
const MAX_DEPTH = 100

/** Every word assigned to a variable anywhere in the script; 'unknown': the survey cannot determine the value. */
export type Variables = Map<string, Map<string, Word> | 'unknown'>

/** Stands for any variable name, as in `read "$x"`, which can assign any variable. */
export const ANY_VARIABLE = '*'

export interface Survey {
  variables: Variables
  functions: Set<string>
  changed: Set<string> // code that changes its arguments, or that defines functions with arguments of their own
  opaque: Opaque[]
  nodes: number
  pipes: { used: boolean } // whether a process substitution passes on a command's output as a file
}

/** Returns a measure of the known assignments, functions and changes of arguments, which grows with each new one. */
export function sizeOf({ variables, functions, changed }: Survey): number {
  let size = functions.size + changed.size
  for (const words of variables.values()) size += words === 'unknown' ? 1_000 : words.size
  return size
}

/** Adds a reason for doubt, once. */
export function doubt({ opaque }: { opaque: Opaque[] }, kind: Opaque): void {
  if (!opaque.includes(kind)) opaque.push(kind)
}

// control characters and invalid Unicode
const strange = /[\0-\x08\x0b-\x1f\x7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
// bash and mksh run command substitutions in an array index during arithmetic: a[$(id)]
const computedIndex = /\w\[[^\][\n]*(?:\$\(|`)/

/** Adds a doubt if a text contains a command substitution in an array index, because a shell may evaluate the text arithmetically. */
export function doubtIndex(text: string, flavour: Flavour | null, into: { opaque: Opaque[] }): void {
  if (flavour !== 'dash' && computedIndex.test(text)) doubt(into, 'bashism')
}

/** Surveys one parsed script and everything inside it, as a shell of this flavour reads it. `flavour` null: unknown. */
export function survey(tree: ParsedScript, source: string, flavour: Flavour | null, into: Survey): void {
  if (strange.test(source)) doubt(into, 'unreadable')
  doubtIndex(source, flavour, into)
  const endsEscaped = source.endsWith('\\') && /(?:^|[^\\])(?:\\\\)*\\$/.test(source)
  if (endsEscaped && (!flavour || flavour === 'mksh')) doubt(into, 'bashism')
  visit(tree, { source, depth: 0, quoted: false, flavour }, into)
}

function visit(node: SyntaxNode, spot: NodeContext, into: Survey): void {
  into.nodes += 1
  if (into.nodes > MAX_NODES || spot.depth > MAX_DEPTH) return doubt(into, 'too-large')
  const complaint = inspect(node, spot)
  if (complaint) doubt(into, complaint)
  collect(node, into)
  const { source, depth, quoted, flavour } = spot
  const isScript = node.type === 'Script'
  const inside = {
    source: isScript ? (node.source ?? source) : source,
    depth: depth + 1,
    quoted: !isScript && (quoted || node.type === 'DoubleQuoted' || node.type === 'HereDocBody'),
    flavour,
  }
  forEachChild(node, (child) => visit(child, inside, into))
}

function collect(node: SyntaxNode, into: Survey): void {
  if (node.type === 'Command') collectCommand(node, into)
  else if (node.type === 'Assignment') assign(into, node.name, node.value.type === 'Word' ? node.value : 'unknown')
  else if (node.type === 'Function') into.functions.add(node.name.text)
  else if (node.type === 'ProcessSubstitution') into.pipes.used = true
  else if (node.type === 'For' || node.type === 'Select') {
    if (!node.wordlist) assign(into, node.name.text, 'unknown')
    for (const word of node.wordlist ?? []) assign(into, node.name.text, word)
  } else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
    if (node.operation.operator.endsWith('=')) assign(into, node.parameter, node.operation.operand)
  } else if (node.type === 'ArithmeticExpansion') {
    for (const [, name] of node.text.matchAll(/([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)/g)) {
      assign(into, name!, 'unknown')
    }
  }
}

function assign(into: Survey, name: string, word: Word | 'unknown'): void {
  const known = into.variables.get(name)
  if (word === 'unknown') into.variables.set(name, 'unknown')
  else if (known === undefined) into.variables.set(name, new Map([[word.text, word]]))
  else if (known !== 'unknown') known.set(word.text, word)
}

const readers = new Set('read getopts mapfile readarray let'.split(' '))
const movers = new Set('cd chdir pushd popd'.split(' '))
const declarers = new Set('export readonly local declare typeset integer nameref unset global'.split(' '))

function collectCommand(node: Command, into: Survey): void {
  const words: Word[] = node.name ? [node.name] : []
  for (const item of node.suffix) if (item.type === 'Word') words.push(item)
  const [first, second] = words
  if (first && second && plain(first) === 'printf' && plain(second)?.startsWith('-v')) assignNamed(into, words)
  for (const word of words) {
    const name = plain(word) ?? ''
    if (readers.has(name)) assignNamed(into, words)
    // these commands change $PWD
    else if (movers.has(name)) for (const moved of ['PWD', 'OLDPWD']) assign(into, moved, 'unknown')
    else if (declarers.has(name)) for (const other of words) if (other !== node.name) declare(into, other)
  }
}

/** Returns the text of a word that consists only of quotes and plain characters; null if it contains an expansion. */
export function plain(word: Word): string | null {
  if (!word.parts) return word.value
  const isFixed = (part: WordPart) =>
    /^(?:Literal|SingleQuoted|Glob)$/.test(part.type) ||
    (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal'))
  return word.parts.every(isFixed) ? word.value : null
}

function assignNamed(into: Survey, words: readonly Word[]): void {
  for (const word of words) {
    const text = plain(word)
    if (text === null) assign(into, ANY_VARIABLE, 'unknown')
    else if (/^[A-Za-z_]\w*$/.test(text)) assign(into, text, 'unknown')
  }
}

// `export "A=$x"` is a word, not an assignment
function declare(into: Survey, word: Word): void {
  const text = plain(word)
  const name = /^["']?([A-Za-z_]\w*)(?:=|$)/.exec(text ?? word.text)?.[1]
  if (name || text === null) assign(into, name ?? ANY_VARIABLE, 'unknown')
}
