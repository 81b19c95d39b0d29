import { parseArgs } from 'node:util'
import { nearestNames, type SettingRow, UsageError } from '../../shared/schema/index.ts'
import { checkOperands } from './operands.ts'
import { type Invocation, flagsOf, type Option, rowNamed, type Subcommand, type Subcommands } from './subcommand.ts'

interface CommandLine {
  /** the row to run; help and version are rows too */
  name: string
  invocation: Invocation
}

/** The subcommand to run if argv names none. */
const DEFAULT_SUBCOMMAND = 'serve'

/** Parses `shellphone [SUBCOMMAND [VERB]] [--option VALUE …] [OPERAND …]`. Throws UsageError for an unknown name and the wrong number of operands. */
export function readCommandLine(argv: string[], rows: SettingRow[], subcommands: Subcommands): CommandLine {
  const at = indexOfName(argv, subcommands)
  const named = at >= 0
  const name = named ? argv[at]! : DEFAULT_SUBCOMMAND
  const subcommand = subcommandIn(argv, subcommands)
  const rest = named ? argv.toSpliced(at, 1) : argv
  const flags = flagsOf(subcommand, rows)
  const known = optionsOf(subcommand, flags)
  const { values, positionals } = parse(
    subcommand.optionsFirst ? endOptionsAtOperand(rest, known) : rest,
    known,
    name,
    subcommands,
  )
  if (values.help) {
    return { name: 'help', invocation: { ...nothing(), operands: named ? topicOf(name, subcommand, positionals) : [] } }
  }
  if (values.version) return { name: 'version', invocation: nothing() }
  const given = Object.entries(values).map(([key, value]) => [key, value === true ? '' : String(value)] as const)
  const options = new Map(given.filter(([key]) => !flags.includes(key)))
  checkOperands(name, subcommand, positionals, [...options.keys()])
  return {
    name,
    invocation: { operands: positionals, options, flags: new Map(given.filter(([key]) => flags.includes(key))) },
  }
}

/** The operands of `help` for a subcommand, or for one of its verbs. */
const topicOf = (name: string, { verbs = {} }: Subcommand, [verb = '']: string[]): string[] =>
  Object.hasOwn(verbs, verb) ? [name, verb] : [name]

/** The row of the subcommand in argv. Throws UsageError for an unknown name. */
export function subcommandIn(argv: string[], subcommands: Subcommands): Subcommand {
  const name = argv[indexOfName(argv, subcommands)] ?? DEFAULT_SUBCOMMAND
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
      Object.entries(allOptions(subcommand)).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
      ]),
    ),
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  }
}

/** Ends the options at the first operand, because the rest belongs to the command, as in `run ls -l`. */
function endOptionsAtOperand(argv: string[], options: ParsedOptions): string[] {
  const { tokens } = parseArgs({ args: argv, options, allowPositionals: true, strict: false, tokens: true })
  const first = tokens.find(({ kind }) => kind === 'positional' || kind === 'option-terminator')
  return first?.kind === 'positional' ? argv.toSpliced(first.index, 0, '--') : argv
}

function parse(argv: string[], options: ParsedOptions, name: string, subcommands: Subcommands) {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true, strict: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isUnknown = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
    const text = isUnknown ? unknownText(argv, options, subcommands) : message.split('\n')[0]!
    throw new UsageError(`${name}: ${text}; list the options with shellphone ${name} --help`)
  }
}

/** Describes the unknown option. It parses argv again, because Node names the option only in its message. */
function unknownText(args: string[], options: ParsedOptions, subcommands: Subcommands): string {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true })
  const option = tokens.find((token) => token.kind === 'option' && !Object.hasOwn(options, token.name))
  if (option?.kind !== 'option') return 'unknown option'
  const { name, rawName } = option
  const nearest = rawName.startsWith('--') ? nearestNames(name, Object.keys(options)) : []
  const suggestion = ownersOf(name, subcommands) || (nearest.length > 0 ? `, did you mean --${nearest[0]}?` : '')
  return `unknown option ${rawName}${suggestion}`
}

/** A hint that names the subcommands with this option. */
function ownersOf(name: string, subcommands: Subcommands): string {
  const owners = Object.entries(subcommands).filter(([, row]) => Object.hasOwn(allOptions(row), name))
  return owners.length > 0 ? ` (it belongs to ${owners.map(([owner]) => owner).join(', ')})` : ''
}
