import { parseArgs } from 'node:util'
import { nearestNames, type SettingRow, UsageError } from '../../shared/schema/index.ts'
import { checkOperands, checkValues, isForDefaultVerb, verbNamed } from './operands.ts'
import {
  allFlags,
  flagsOf,
  type Invocation,
  type Option,
  rowNamed,
  type Subcommand,
  type Subcommands,
} from './subcommand.ts'

interface CommandLine {
  /** the row to run; help and version are rows too */
  name: string
  invocation: Invocation
}

/** Prints the version, if nothing else is on the command line; both letters are usual. */
const VERSION_FLAG = /^(-[vV]|--version)$/

/** Parses `shellphone [SUBCOMMAND [VERB]] [OPTION …] [OPERAND …]`. Throws UsageError for an unknown name, a wrong value and the wrong number of operands. */
export function readCommandLine(argv: string[], rows: SettingRow[], subcommands: Subcommands): CommandLine {
  if (argv.length === 1 && VERSION_FLAG.test(argv[0]!)) return { name: 'version', invocation: nothing() }
  const at = indexOfName(argv, subcommands)
  if (at < 0) return { name: 'help', invocation: helpWithout(argv) }
  const name = argv[at]!
  const subcommand = subcommandIn(argv, subcommands)
  const rest = argv.toSpliced(at, 1)
  const flags = allFlags(subcommand, rows)
  const known = optionsOf(subcommand, flags)
  const line = { name, subcommand, rows, subcommands }
  const { values, positionals } = parse(
    subcommand.optionsFirst ? endOptionsAtOperand(rest, known, name) : rest,
    known,
    line,
  )
  if (values.help) {
    return { name: 'help', invocation: { ...nothing(), operands: topicOf(name, subcommand, positionals) } }
  }
  if (values.version) return { name: 'version', invocation: nothing() }
  const given = Object.entries(values).map(
    ([key, value]) => [key, value === true ? '' : [value].flat().join(',')] as const,
  )
  const options = new Map(given.filter(([key]) => !flags.includes(key)))
  checkOperands(name, subcommand, positionals, { options: given.map(([key]) => key), rows })
  checkValues(lineOf(line, positionals), subcommand, options)
  return {
    name,
    invocation: { operands: positionals, options, flags: new Map(given.filter(([key]) => flags.includes(key))) },
  }
}

/** The whole help, if argv asks for it or is empty. Throws UsageError for other options without a subcommand. */
function helpWithout(argv: string[]): Invocation {
  if (argv.length === 0 || argv.some((word) => /^(-h|--help)$/.test(word))) return nothing()
  throw new UsageError(
    `expected a subcommand before ${argv[0]}, as in shellphone SUBCOMMAND ${argv[0]}; list them with shellphone --help`,
  )
}

/** The operands of `help` for a subcommand, or for one of its verbs. Throws UsageError for an unknown verb. */
function topicOf(name: string, subcommand: Subcommand, operands: string[]): string[] {
  const { verbs } = subcommand
  const [verb] = operands
  if (verbs === undefined || verb === undefined || isForDefaultVerb(subcommand, operands)) return [name]
  verbNamed(name, verbs, verb)
  return [name, verb]
}

/** The row of the subcommand in argv, or without one that of the help. Throws UsageError for an unknown name. */
export function subcommandIn(argv: string[], subcommands: Subcommands): Subcommand {
  const name = argv[indexOfName(argv, subcommands)] ?? 'help'
  return rowNamed(subcommands, name, name)
}

/** The index of the subcommand in argv: the first word, or, if argv starts with a flag, the first known name that is not a flag's value. -1: no subcommand. */
function indexOfName(argv: string[], subcommands: Subcommands): number {
  if (argv[0] !== undefined && !argv[0].startsWith('-')) return 0
  return argv.findIndex((word, index) => Object.hasOwn(subcommands, word) && !/^-[^=]*$/.test(argv[index - 1] ?? ''))
}

const nothing = (): Invocation => ({ operands: [], options: new Map(), flags: new Map() })

/** All options of a subcommand, including those of its verbs. */
export const allOptions = ({ options, verbs = {} }: Subcommand): Record<string, Option> =>
  Object.assign({}, ...Object.values(verbs).map((verb) => verb.options), options)

type ParsedOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

function optionsOf(subcommand: Subcommand, flags: string[]): ParsedOptions {
  return {
    ...Object.fromEntries(flags.map((flag) => [flag, { type: 'string' }])),
    ...Object.fromEntries(
      Object.entries(allOptions(subcommand)).map(([name, { value, isList = false, short }]) => [
        name,
        {
          ...{ type: value === undefined ? 'boolean' : 'string', multiple: isList },
          ...(short === undefined ? {} : { short }),
        },
      ]),
    ),
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  }
}

/** Ends the options at the first operand, because the rest belongs to the command, as in `run ls -l`. */
function endOptionsAtOperand(argv: string[], options: ParsedOptions, name: string): string[] {
  const { tokens } = parseArgs({ args: argv, options, allowPositionals: true, strict: false, tokens: true })
  const first = tokens.find(({ kind }) => kind === 'positional' || kind === 'option-terminator')
  if (first?.kind !== 'positional') return argv
  const late = tokens.find(
    (one) => one.kind === 'option' && one.index > first.index && Object.hasOwn(options, one.name),
  )
  if (late?.kind === 'option' && /\s/.test(first.value)) {
    throw new UsageError(`${name}: expected ${late.rawName} before the command, got it after the command's quotes`)
  }
  return argv.toSpliced(first.index, 0, '--')
}

/** The row that argv names, and the tables that its errors cite. */
interface Line {
  name: string
  subcommand: Subcommand
  rows: SettingRow[]
  subcommands: Subcommands
}

/** The subcommand, and the verb if the operands begin with one. */
const lineOf = ({ name, subcommand: { verbs = {} } }: Pick<Line, 'name' | 'subcommand'>, [verb = '']: string[]) =>
  Object.hasOwn(verbs, verb) ? `${name} ${verb}` : name

function parse(argv: string[], options: ParsedOptions, line: Line) {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true, strict: true })
  } catch {
    throw misuse(argv, options, line)
  }
}

/** Describes the first wrong option. It parses argv again, because Node names the option only in its message. */
function misuse(args: string[], options: ParsedOptions, line: Line): UsageError {
  const { tokens, positionals } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true })
  const where = lineOf(line, positionals)
  const texts = tokens.map((token, index) => {
    if (token.kind !== 'option') return undefined
    const { name, rawName, value, inlineValue } = token
    if (!Object.hasOwn(options, name)) {
      const quotes = isInCommand(tokens.slice(0, index), where, line) ? QUOTE_COMMAND : ''
      const dashes = /^-\d/.test(rawName) ? '; write -- before a negative number' : ''
      return unknownText(token, where, line) + quotes + dashes
    }
    const isSwitch = options[name]!.type === 'boolean'
    if (isSwitch) return value === undefined ? undefined : `${rawName}: expected no value, got ${value}`
    if (value !== undefined && (inlineValue || !value.startsWith('-'))) return undefined
    return `${rawName}: expected ${expectedOf(name, line)}, got ${value ?? 'nothing'}`
  })
  const text = texts.find((one) => one !== undefined) ?? 'the options cannot be read'
  return new UsageError(`${where}: ${text}; list the options with shellphone ${where} --help`)
}

const QUOTE_COMMAND = '; if this is part of the command, quote the command'

/** Whether the words before an option begin a command, which must be one word. */
function isInCommand(before: { kind: string }[], where: string, { subcommand }: Line): boolean {
  const { operands } = verbIn(where, subcommand) ?? subcommand
  return operands?.includes("'COMMAND'") === true && before.some(({ kind }) => kind === 'positional')
}

/** The row of the verb in `token create`; undefined: no verb. */
const verbIn = (where: string, { verbs }: Subcommand) => verbs?.[where.split(' ')[1] ?? '']

function expectedOf(name: string, { subcommand }: Line): string {
  const { values, value = 'a value' } = allOptions(subcommand)[name] ?? {}
  return values?.expected ?? value
}

function unknownText(
  { name, rawName }: { name: string; rawName: string },
  where: string,
  { subcommand, rows, subcommands }: Line,
): string {
  const own = verbIn(where, subcommand)
  const names = [
    ...Object.keys(own ? { ...subcommand.options, ...own.options } : allOptions(subcommand)),
    ...flagsOf(own?.settings ?? subcommand.settings, rows),
  ]
  const other = subcommand.otherOptions?.[name]
  if (other !== undefined) return `unknown option ${rawName} (${other})`
  const nearest = rawName.startsWith('--') ? nearestNames(name, names) : []
  const suggestion = ownersOf(name, subcommands) || (nearest.length > 0 ? `, did you mean --${nearest[0]}?` : '')
  return `unknown option ${rawName}${suggestion}`
}

/** A hint that names the subcommands with this option. */
function ownersOf(name: string, subcommands: Subcommands): string {
  const owners = Object.entries(subcommands).filter(([, row]) => Object.hasOwn(allOptions(row), name))
  return owners.length > 0 ? ` (it belongs to ${owners.map(([owner]) => owner).join(', ')})` : ''
}
