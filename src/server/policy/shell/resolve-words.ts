/** Determines the possible values of a word: removes quotes, and replaces expansions by every value that the script assigns. */
import { programOf } from '../programs/index.ts'
import { affixPattern } from './patterns.ts'
import { choicesOf, literalWord, type Word, writtenWord } from '../script/script.ts'
import { ANY_VARIABLE, plain, type Variables } from './survey.ts'
import type { ParameterExpansionPart, ParsedScript, Word as WordNode, WordPart } from './syntax.ts'

const MAX_VALUES = 24
const MAX_LENGTH = 4096
const MAX_WORD = 262_144
const MAX_LOOKUPS = 12
// separates the fields into which an unquoted expansion splits
const GAP = '\u0000'

/** The known variables: those of the script and of the environment, and the positional parameters ($1 is the first). */
export interface Scope {
  variables: Variables
  functions: ReadonlySet<string> // names of the functions that the script defines
  environment: Readonly<Record<string, string>>
  zero: string | null // $0: the path of the script file; null: unknown
  positional: readonly Word[] | null
  found: Map<string, Texts> // cached values of variables
  lookingUp: readonly string[] // variables that are being looked up
  set?: ReadonlySet<string> // variables that certainly have a value at this point; absent: all variables
}

interface PossibleTexts {
  texts: Texts
  prefix: string
  glob: boolean
  expands: boolean
  splits: boolean
}

/** All possible texts; null: unknown. */
type Texts = readonly string[] | null

/** Resolves one word of the syntax tree. */
export function resolve(node: WordNode, scope: Scope): Word {
  const { text, value, parts } = node
  if (!parts && !text.startsWith('~') && !value.includes(GAP)) return writtenWord(value, text)
  const { texts, prefix, glob, expands, splits } = resolveNode(node, scope)
  return {
    source: text.slice(0, 500),
    literal: expands || texts?.length !== 1 ? null : texts[0]!,
    fields: texts?.map((text) => toFields(text, splits)) ?? null,
    prefix,
    glob,
    splits,
  }
}

function toFields(text: string, splits: boolean): string[] {
  return splits ? text.split(GAP).filter((field) => field !== '') : [text.replaceAll(GAP, ' ')]
}

function resolveNode(node: WordNode, scope: Scope): PossibleTexts {
  if (!node.parts) return tilde(node.text, fixed(node.value), scope)
  return hasBraces(node) ? braces(node.parts, scope) : resolveParts(node.parts, scope)
}

function resolveParts(parts: readonly WordPart[], scope: Scope): PossibleTexts {
  const known = join(parts.map((part) => resolvePart(part, scope, false)))
  return parts[0]?.type === 'Literal' ? tilde(parts[0].text, known, scope) : known
}

const fixed = (text: string): PossibleTexts => ({
  texts: [text],
  prefix: text,
  glob: false,
  expands: false,
  splits: false,
})
const unknown = (splits: boolean): PossibleTexts => ({ texts: null, prefix: '', glob: splits, expands: true, splits })

function tilde(source: string, known: PossibleTexts, scope: Scope): PossibleTexts {
  if (!source.startsWith('~')) return known
  const home = scope.environment.HOME
  const user = /^~([\w.+-]*)/.exec(source)![1]!
  if (/^[-+\d]/.test(user)) return unknown(false)
  if (user !== '') return { ...known, texts: known.texts?.map((text) => `/home/${text.slice(1)}`) ?? null }
  if (home === undefined) return known
  if (scope.variables.has('HOME')) return unknown(false)
  const expand = (text: string) => (/^~(?:\/|$)/.test(text) ? home + text.slice(1) : text)
  return { ...known, texts: known.texts?.map(expand) ?? null, prefix: expand(known.prefix) }
}

function join(parts: PossibleTexts[]): PossibleTexts {
  let [texts, prefix]: [Texts, string] = [[''], '']
  for (const part of parts) {
    if (texts?.length === 1) prefix = texts[0]! + part.prefix
    texts = product(texts, part.texts)
  }
  return {
    texts,
    prefix: texts?.length === 1 ? texts[0]! : prefix,
    glob: parts.some((part) => part.glob),
    expands: parts.some((part) => part.expands),
    splits: parts.some((part) => part.splits),
  }
}

function product(left: Texts, right: Texts, between = ''): Texts {
  if (left === null || right === null || left.length * right.length > MAX_VALUES) return null
  const texts = left.flatMap((head) => right.map((tail) => head + between + tail))
  return texts.some((text) => text.length > MAX_WORD) ? null : texts
}

function resolvePart(part: WordPart, scope: Scope, quoted: boolean): PossibleTexts {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return fixed(part.value)
    case 'Glob':
      return { ...fixed(part.value), glob: true }
    case 'DoubleQuoted':
      return join(part.parts.map((inner) => resolvePart(inner, scope, true)))
    case 'SimpleExpansion':
      return expansion(lookup(part.text.slice(1), scope), scope, quoted && part.text !== '$@')
    case 'ParameterExpansion':
      return expansion(parameter(part, scope), scope, quoted && part.parameter !== '@')
    case 'ArithmeticExpansion':
      return { ...fixed('0'), expands: true }
    case 'CommandExpansion':
      return expansion(printed(part.script, scope), scope, quoted)
    default:
      return unknown(false)
  }
}

// returns what a command substitution prints, if its only command determines that
function printed(script: ParsedScript | undefined, scope: Scope): Texts {
  const command = script?.commands.length === 1 ? script.commands[0]!.command : null
  if (command?.type !== 'Command' || command.prefix.length > 0) return null
  const name = (command.name && plain(command.name)) ?? ''
  const prints = scope.functions.has(name) ? undefined : programOf(name)?.prints
  const isPlain = command.suffix.every(
    (item) => item.type === 'Word' || (item.type === 'Redirect' && item.target?.text === '/dev/null'),
  )
  if (!prints || !isPlain) return null
  const { TMPDIR, PWD } = scope.environment
  const words = command.suffix.flatMap((item) => (item.type === 'Word' ? [resolve(item, scope)] : []))
  return prints(words, { name, TMPDIR, PWD: scope.variables.has('PWD') ? undefined : PWD })
}

function expansion(texts: Texts, scope: Scope, quoted: boolean): PossibleTexts {
  if (texts === null) return unknown(!quoted)
  const glob = texts.some((text) => /[*?[]/.test(text))
  if (quoted) return { texts, prefix: '', glob, expands: true, splits: false }
  if (scope.variables.has('IFS')) return unknown(true)
  return { texts: texts.map((text) => text.replace(/[ \t\n]+/g, GAP)), prefix: '', glob, expands: true, splits: true }
}

function lookup(name: string, scope: Scope): Texts {
  const { variables, environment, positional, found, lookingUp } = scope
  if (/^[#?$!]$/.test(name)) return ['0']
  if (name === '0') return scope.zero === null ? null : [scope.zero]
  if (/^[1-9]$/.test(name)) return positional && choicesOf(positional[Number(name) - 1] ?? literalWord(''))
  if (/^[@*]$/.test(name)) {
    const literals = positional?.map(({ literal }) => literal) ?? [null]
    return literals.includes(null) ? null : [literals.join(GAP)]
  }
  if (variables.has(ANY_VARIABLE)) return null
  const words = variables.get(name)
  const given: unknown = environment[name]
  const fromOutside = typeof given === 'string' ? [given] : []
  if (words === undefined) return fromOutside.length > 0 ? fromOutside : null
  if (words === 'unknown' || lookingUp.includes(name) || lookingUp.length > MAX_LOOKUPS) return null
  if (!found.has(name)) found.set(name, valuesGiven(words, fromOutside, { ...scope, lookingUp: [...lookingUp, name] }))
  const texts = found.get(name)!
  // the variable is empty before it is set, and outside the part of a pipeline that sets it
  const isSet = !scope.set || scope.set.has(name) || fromOutside.length > 0
  return isSet || texts === null ? texts : [...new Set([...texts, ''])]
}

/** Returns every value that a variable has anywhere in the script or the environment; empty: nothing sets it; null: unknown. */
export function everyValueOf(name: string, scope: Scope): Texts {
  const isGiven = [name, ANY_VARIABLE].some((one) => scope.variables.has(one)) || scope.environment[name] !== undefined
  return isGiven ? lookup(name, scope) : []
}

function valuesGiven(words: ReadonlyMap<string, WordNode>, fromOutside: readonly string[], scope: Scope): Texts {
  const texts = new Set(fromOutside)
  for (const word of words.values()) {
    const known = resolveNode(word, scope).texts
    if (known === null || texts.size > MAX_VALUES) return null
    for (const text of known) texts.add(text.replaceAll(GAP, ' '))
    // `for x in {a,b}` gives x each of them
    if (hasBraces(word)) for (const text of known) for (const field of text.split(GAP)) texts.add(field)
    if (known.some((text) => text.length > MAX_LENGTH)) return null
  }
  return [...texts]
}

function parameter(part: ParameterExpansionPart, scope: Scope): Texts {
  if (part.prefix === '#') return ['0']
  const values = lookup(part.parameter, scope)
  const operation = part.operation
  if (!operation) return values
  if (operation.type !== 'Default' && operation.type !== 'Remove') return null
  const operand = resolveNode(operation.operand, scope).texts
  if (operand === null) return null
  if (operation.type === 'Remove') {
    const cut = values?.flatMap((value) => operand.map((pattern) => affixPattern(value, pattern, operation.operator)))
    return cut?.every((text) => text !== null) ? cut : null
  }
  if (operation.operator.endsWith('?')) return values
  if (operation.operator.endsWith('+')) return ['', ...operand]
  // a variable that the script does not set may come from the environment, so the default is not the only possible value
  return values === null ? null : [...new Set([...values, ...operand])]
}

const hasBraces = ({ parts }: WordNode) => parts?.some(({ type }) => type === 'BraceExpansion') === true

const literalPart = (text: string): WordPart => ({ type: 'Literal', value: text, text, pos: 0, end: 0 })

/** bash and mksh expand braces to several words, dash does not: the word can be either. */
function braces(parts: readonly WordPart[], scope: Scope): PossibleTexts {
  let words: (readonly WordPart[])[] = [[]]
  for (const part of parts) {
    const choices = part.type === 'BraceExpansion' ? itemsOf(part.text)?.map(literalPart) : [part]
    if (!choices || words.length * choices.length > MAX_VALUES) return unknown(true)
    words = words.flatMap((word) => choices.map((choice) => [...word, choice]))
  }
  const asWritten = parts.map((part) => (part.type === 'BraceExpansion' ? literalPart(part.text) : part))
  const [written, ...expanded] = [asWritten, ...words].map((word) => resolveParts(word, scope)) as [
    PossibleTexts,
    ...PossibleTexts[],
  ]
  const sequence = expanded.map(({ texts }) => texts).reduce((left, right) => product(left, right, GAP))
  if (written.texts === null || sequence === null) return unknown(true)
  const glob = written.glob || expanded.some((word) => word.glob)
  return { texts: [...written.texts, ...sequence], prefix: '', glob, expands: true, splits: true }
}

// of a long range the first and the last; null: not one that can be read
function itemsOf(text: string): string[] | null {
  const [, first, last] = /^\{(-?\w+)\.\.(-?\w+)(?:\.\.-?\d+)?\}$/.exec(text) ?? []
  if (first !== undefined) return [first, last!]
  return /^\{[^{}'"`$\\]*\}$/.test(text) ? text.slice(1, -1).split(',') : null
}
