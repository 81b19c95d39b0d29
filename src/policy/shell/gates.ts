/**
 * What the shells read otherwise than the parser does, node by node. The shell may be dash, mksh, busybox ash or bash:
 * a complaint here makes the script opaque. Each line stands for a difference that was seen to run an unseen command.
 */
import type { Flavour, OpaqueKind } from './script.ts'
import type {
  Command,
  CommandExpansionPart,
  For,
  Function as FunctionNode,
  HereDoc,
  ParameterExpansionPart,
  Pipeline,
  Redirect,
  SyntaxNode,
  Word,
} from './syntax.ts'

/** Where a node stands: its source text, and whether double quotes or an unquoted here-document surround it. */
export interface Spot {
  source: string
  depth: number
  quoted: boolean
  flavour: Flavour | null // which shell reads it; null: not known
}

export type Complaint = [OpaqueKind, string] | null
const bashism = (what: string): Complaint => ['bashism', `${what}: sh and bash read it differently`]
const unreadable = (what: string): Complaint => ['unreadable', what]

interface BashOnly {
  what: string
  bash?: true // bash reads it as the parser does
  refusedBy?: readonly Flavour[] // these shells stop at it
}

const bashOnly: Readonly<Record<string, BashOnly>> = {
  TestCommand: { what: '[[ … ]]', bash: true },
  ArithmeticCommand: { what: '(( … ))', bash: true },
  ArithmeticFor: { what: 'for (( … ))', bash: true, refusedBy: ['dash', 'busybox'] },
  Select: { what: 'select', refusedBy: ['dash', 'busybox'] },
  Coproc: { what: 'coproc' },
  ProcessSubstitution: { what: 'process substitution', bash: true, refusedBy: ['dash', 'mksh'] },
  ExtendedGlob: { what: 'an extended pattern' },
  AnsiCQuoted: { what: "$'…'", bash: true },
  LocaleString: { what: '$"…"' },
  ArrayValue: { what: 'an array', bash: true, refusedBy: ['dash', 'busybox'] },
  HereString: { what: '<<<', bash: true, refusedBy: ['dash', 'busybox'] },
  FileDescriptorVariable: { what: '{fd}>' },
}

function inspectBashOnly({ what, bash, refusedBy }: BashOnly, { flavour }: Spot): Complaint {
  if (flavour === 'bash' && bash) return null
  if (flavour && refusedBy?.includes(flavour)) return ['syntax-error', `${what}: ${flavour} cannot read it`]
  return bashism(what)
}

type Gates = {
  readonly [Type in SyntaxNode['type']]?: (node: Extract<SyntaxNode, { type: Type }>, spot: Spot) => Complaint
}

const gates: Gates = {
  Script: ({ errors }, { source }) => (errors?.length ? inspectError(errors[0]!.message, source) : null),
  Word: (node) => (holdsOperator(node) ? unreadable('an operator inside a word') : null),
  Assignment: ({ append, index }) => (append || index ? bashism('this assignment') : null),
  For: inspectFor,
  Function: inspectFunction,
  Subshell: ({ pos }, { source }) => (source[pos + 1] === '(' ? bashism('((') : null),
  Case: ({ items }) => (items.some(({ terminator }) => (terminator ?? ';;') !== ';;') ? bashism(';&') : null),
  Pipeline: inspectPipeline,
  Redirect: inspectRedirect,
  HereDoc: inspectHereDoc,
  Command: inspectCommand,
  ParameterExpansion: inspectParameter,
  CommandExpansion: inspectSubstitution,
  ArithmeticExpansion: ({ text }) =>
    /^\$\(\([\w\s+\-*/%<>=!&|^~?:()$.]*\)\)$/.test(text) ? null : bashism('this arithmetic'),
}

/** The doubt that one node raises by itself, or null. */
export function inspect(node: SyntaxNode, spot: Spot): Complaint {
  const only = bashOnly[node.type]
  if (only) return inspectBashOnly(only, spot)
  const gate = gates[node.type] as ((node: SyntaxNode, spot: Spot) => Complaint) | undefined
  return gate?.(node, spot) ?? null
}

const operator = /[()<>;&|]/

// the parser takes `1>(id)` for one word; busybox runs id
function holdsOperator(node: Word): boolean {
  if (!operator.test(node.text)) return false
  const texts = node.parts?.flatMap((part) => (part.type === 'Literal' ? [part.text] : [])) ?? [node.text]
  return texts.some((text) => operator.test(text.replace(/\\[\s\S]/g, '')))
}

// where the parser is stricter than one of the shells, its error proves nothing
function inspectError(message: string, source: string): Complaint {
  const doubtful = /function body|arithmetic|subscript/.test(message) || /`|\[\[|\$\{[^\w]/.test(source)
  return doubtful ? unreadable('what not every shell can read') : ['syntax-error', `it does not parse: ${message}`]
}

const name = /^[A-Za-z_]\w*$/

function inspectFor(node: For, spot: Spot): Complaint {
  if (!name.test(node.name.text)) return unreadable('a loop variable that is no name')
  return spot.source.slice(0, node.end).endsWith('done') ? null : bashism('for … { }')
}

function inspectFunction(node: FunctionNode, spot: Spot): Complaint {
  if (/^function(?!\s*\()/.test(spot.source.slice(node.pos, node.pos + 40))) return bashism('function')
  return name.test(node.name.text) ? null : bashism('this function name')
}

function inspectPipeline(node: Pipeline, { source, flavour }: Spot): Complaint {
  // a pattern in mksh, which runs the first file that it matches
  if ((!flavour || flavour === 'mksh') && node.prefixes.some(({ pos }) => source.startsWith('!(', pos))) {
    return bashism('!(')
  }
  if (node.operators.includes('|&') && flavour !== 'bash') return bashism('|&')
  const time = node.prefixes.find((prefix) => prefix.type === 'Time')
  if (!time) return node.prefixes.length > 1 ? bashism('! !') : null
  // sh runs `time` as a program: right before a plain command that is the same thing
  const first = node.commands[0]
  const plain = first?.type === 'Command' && first.prefix.length === 0 && node.prefixes.length === 1
  return plain ? null : bashism('time')
}

function inspectRedirect(node: Redirect): Complaint {
  const { descriptor, operator, target } = node
  if (descriptor?.type === 'FileDescriptor' && descriptor.value > 9) return bashism('a file descriptor above 9')
  if (operator === '&>>') return bashism('&>>')
  if ((operator === '>&' || operator === '<&') && !/^(?:\d|-)$/.test(target?.text ?? '')) return bashism(operator)
  return target ? null : unreadable('a redirection without a target')
}

function inspectHereDoc(node: HereDoc): Complaint {
  if (!node.closing || !node.delimiter) return unreadable('a here-document without its end')
  if (!/^(?:[\w.@%+:,/!-]+|'[\w .@%+:,/!-]+'|"[\w .@%+:,/!-]+"|\\[\w]+)$/.test(node.delimiter.text)) {
    return unreadable('a strange here-document mark')
  }
  if (!node.delimiter.quoted && /\\\n|`[^`]*\\/.test(node.body.text)) return bashism('this here-document')
  return null
}

function inspectParameter(node: ParameterExpansionPart, spot: Spot): Complaint {
  const { operation } = node
  const indexed = node.index && !(spot.flavour === 'bash' && /^(?:[@*]|\d+)$/.test(node.index.text))
  const named = /^(?:[A-Za-z_]\w*|\d|[@*#?$!-])$/.test(node.parameter)
  if (node.prefix === '!' || indexed || /^\$\{[ |]/.test(node.text) || !named) return bashism('this expansion')
  if (!operation) return null
  const known = operation.type === 'Default' || operation.type === 'Remove'
  if (node.prefix || !known) return bashism('this expansion')
  if (/['"\\`{}]/.test(operation.operand.text.replace(/\$\{\w+\}/g, '')) && !plainQuotes(operation.operand, spot)) {
    return bashism('quotes in an expansion')
  }
  return null
}

// outside of quotes, one quoted string without specials is read alike everywhere
function plainQuotes(operand: Word, spot: Spot): boolean {
  return !spot.quoted && /^(?:'[\w ./:@%+=,-]*'|"[\w ./:@%+=,-]*")$/.test(operand.text)
}

function inspectSubstitution(node: CommandExpansionPart, spot: Spot): Complaint {
  if (!node.script) return ['syntax-error', 'a substitution that does not parse']
  if (node.text.startsWith('`')) {
    if (node.text.includes('\\')) return bashism('a backslash between backticks')
    return spot.quoted && node.text.includes('"') ? bashism('quotes between backticks') : null
  }
  if (!node.text.startsWith('$(') || node.text.startsWith('$((')) return bashism('this substitution')
  return null
}

function inspectCommand(node: Command): Complaint {
  const items = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]
  const both = items.findIndex((item) => item.type === 'Redirect' && item.operator === '&>')
  // sh reads `a &> b c` as `a & > b c`: harmless only at the end
  return both >= 0 && both < items.length - 1 ? bashism('&>') : null
}
