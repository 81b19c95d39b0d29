/**
 * Syntax that shells read differently from the parser, by node type. The shell may be dash, mksh, busybox ash or bash. A complaint makes
 * the script opaque. Each entry covers an observed difference, in which a shell ran a command that the parser had not found.
 */
import type { Flavour, Opaque } from '../script/script.ts'
import {
  isParserStricter,
  itemsOf,
  type NodeOf,
  type RedirectDescriptor,
  type SyntaxNode,
  type Word,
} from './syntax.ts'

/** The context of a node: its source text, and whether double quotes or an unquoted here-document surround it. */
export interface NodeContext {
  source: string
  depth: number
  quoted: boolean
  flavour: Flavour | null // the shell that reads the node; null: unknown
}

type Complaint = Opaque | null

type Gates = { readonly [Type in SyntaxNode['type']]?: (node: NodeOf<Type>, spot: NodeContext) => Complaint }

// only the shell `reader` reads the node as the parser does ('none': no shell does); the `refusing` shells report a syntax error
const readBy =
  (reader: 'bash' | 'none', ...refusing: readonly Flavour[]) =>
  (_node: SyntaxNode, { flavour }: NodeContext): Complaint => {
    if (flavour === reader) return null
    return flavour && refusing.includes(flavour) ? 'syntax-error' : 'bashism'
  }

const gates: Gates = {
  TestCommand: readBy('bash'),
  // bash expands even quoted text in an arithmetic command
  ArithmeticCommand: (node, spot) => (isQuoted(node, spot) ? 'bashism' : readBy('bash')(node, spot)),
  ArithmeticFor: (node, spot) => (isQuoted(node, spot) ? 'bashism' : readBy('bash', 'dash', 'busybox')(node, spot)),
  Select: readBy('none', 'dash', 'busybox'),
  Coproc: readBy('none'),
  ProcessSubstitution: readBy('bash', 'dash', 'mksh'),
  ExtendedGlob: readBy('none'),
  AnsiCQuoted: readBy('bash'),
  LocaleString: readBy('none'),
  ArrayValue: readBy('bash', 'dash', 'busybox'),
  HereString: readBy('bash', 'dash', 'busybox'),
  FileDescriptorVariable: readBy('none'),
  Script({ errors }, { source }) {
    if (!errors?.length) return null
    return isParserStricter(source) ? 'unreadable' : 'syntax-error'
  },
  // the parser reads `1>(id)` as one word, but busybox runs id; it reads `a[<newline>id ]x` as one word, but sh runs id
  Word({ text, parts }, { flavour }) {
    // in busybox, && after an argument [[ is an argument, too
    if (text === '[[' && (!flavour || flavour === 'busybox')) return 'bashism'
    // the shells join continued lines first
    if (text.includes('$\\\n')) return 'unreadable'
    const separator = text.includes('[') ? operatorOrSpace : operator
    if (!separator.test(text)) return null
    const texts = parts?.flatMap((part) => (part.type === 'Literal' ? [part.text] : [])) ?? [text]
    const holds = texts.some((text) => separator.test(text.replace(/\\[\s\S]/g, '')))
    return holds ? 'unreadable' : null
  },
  Assignment: ({ append, index }) => (append || index ? 'bashism' : null),
  For(node, { source }) {
    if (!name.test(node.name.text)) return 'unreadable'
    return source.slice(0, node.end).endsWith('done') ? null : 'bashism'
  },
  Function(node, { source }) {
    if (/^function(?!\s*\()/.test(source.slice(node.pos, node.pos + 40))) return 'bashism'
    return name.test(node.name.text) ? null : 'bashism'
  },
  Subshell: ({ pos }, { source }) => (source[pos + 1] === '(' ? 'bashism' : null),
  Case: ({ items }) => (items.some(({ terminator }) => (terminator ?? ';;') !== ';;') ? 'bashism' : null),
  Pipeline({ prefixes, operators, commands: [first] }, { source, flavour }) {
    // mksh reads `!(…)` as a pattern and runs the first file that matches
    const isPattern = prefixes.some(({ pos }) => source.startsWith('!(', pos))
    if ((!flavour || flavour === 'mksh') && isPattern) return 'bashism'
    if (operators.includes('|&') && flavour !== 'bash') return 'bashism'
    if (!prefixes.some(({ type }) => type === 'Time')) return prefixes.length > 1 ? 'bashism' : null
    // sh runs `time` as a program, which is equivalent directly before a plain command
    const isPlain =
      first?.type === 'Command' &&
      first.prefix.length === 0 &&
      prefixes.length === 1 &&
      !first.name?.text.startsWith('-')
    return isPlain ? null : 'bashism'
  },
  Redirect({ descriptor, operator, target }) {
    if (isLong(descriptor)) return 'bashism'
    if (operator === '&>>') return 'bashism'
    if ((operator === '>&' || operator === '<&') && !/^(?:\d|-)$/.test(target?.text ?? '')) return 'bashism'
    return target ? null : 'unreadable'
  },
  HereDoc({ descriptor, closing, delimiter, body }) {
    if (isLong(descriptor)) return 'bashism'
    if (!closing || !delimiter) return 'unreadable'
    const isUsual = /^(?:[\w.@%+:,/!-]+|'[\w .@%+:,/!-]+'|"[\w .@%+:,/!-]+"|\\[\w]+)$/.test(delimiter.text)
    if (!isUsual) return 'unreadable'
    return !delimiter.quoted && /\\\n|`[^`]*\\/.test(body.text) ? 'bashism' : null
  },
  // sh reads `a &> b c` as `a & > b c`, which is harmless only at the end of a command
  Command(node) {
    for (const item of itemsOf(node).slice(0, -1)) {
      if (item.type === 'Redirect' && item.operator === '&>') return 'bashism'
    }
    return null
  },
  ParameterExpansion({ index, operation, parameter, prefix, text }, spot) {
    const indexed = index && !(spot.flavour === 'bash' && /^(?:[@*]|\d+)$/.test(index.text))
    const named = /^(?:[A-Za-z_]\w*|\d|[@*#?$!-])$/.test(parameter)
    if (prefix === '!' || indexed || /^\$\{[ |]/.test(text) || !named) return 'bashism'
    if (!operation) return null
    if (prefix || (operation.type !== 'Default' && operation.type !== 'Remove')) return 'bashism'
    const quotes = /['"\\`{}]/.test(operation.operand.text.replace(/\$\{\w+\}/g, ''))
    return quotes && !plainQuotes(operation.operand, spot) ? 'bashism' : null
  },
  CommandExpansion({ script, text }, { quoted }) {
    if (!script) return 'syntax-error'
    if (text.startsWith('`')) {
      if (text.includes('\\')) return 'bashism'
      return quoted && text.includes('"') ? 'bashism' : null
    }
    return !text.startsWith('$(') || text.startsWith('$((') ? 'bashism' : null
  },
  ArithmeticExpansion: ({ text }) => (/^\$\(\([\w\s+\-*/%<>=!&|^~?:()$.]*\)\)$/.test(text) ? null : 'bashism'),
}

/** Returns the doubt that a node raises, apart from its children; null: no doubt. */
export function inspect(node: SyntaxNode, spot: NodeContext): Complaint {
  const gate = gates[node.type] as ((node: SyntaxNode, spot: NodeContext) => Complaint) | undefined
  return gate?.(node, spot) ?? null
}

// dash and mksh read two digits, as in 10>x and 02>x, as a word
const isLong = (descriptor: RedirectDescriptor | undefined) =>
  descriptor?.type === 'FileDescriptor' && descriptor.end - descriptor.pos > 1

const operator = /[()<>;&|]/
const operatorOrSpace = /[()<>;&|\s]/
const isQuoted = ({ pos, end }: SyntaxNode, { source }: NodeContext) => /['"\\`]/.test(source.slice(pos, end))
const name = /^[A-Za-z_]\w*$/

// outside quotes, all shells read one quoted string without special characters the same way
const plainQuotes = ({ text }: Word, { quoted }: NodeContext) =>
  !quoted && /^(?:'[\w ./:@%+=,-]*'|"[\w ./:@%+=,-]*")$/.test(text)
