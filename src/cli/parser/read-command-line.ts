import { parseArgs } from 'node:util'
import { flagName } from '../../server/config/index.ts'
import { SettingError, type SettingRow } from '../../shared/schema/index.ts'
import { type Invocation, placeSettings, type Subcommand, type Subcommands } from './subcommand.ts'

interface CommandLine {
  /** the row to run; help and version are rows too */
  name: string
  invocation: Invocation
}

/** What no subcommand means. */
const USUAL = 'serve'

/** Reads `shellphone [SUBCOMMAND] [--option VALUE …] [OPERAND …]`; throws SettingError for what it does not know. */
export function readCommandLine(argv: string[], rows: SettingRow[], subcommands: Subcommands): CommandLine {
  const at = placeOfName(argv, subcommands)
  const named = at >= 0
  const name = named ? argv[at]! : USUAL
  const subcommand = subcommandIn(argv, subcommands)
  const rest = named ? argv.toSpliced(at, 1) : argv
  const flags = flagsOf(subcommand, rows)
  const known = optionsOf(subcommand, flags)
  const { values, positionals } = parse(subcommand.optionsFirst ? closed(rest, known) : rest, known, name, subcommands)
  if (values.help) return { name: 'help', invocation: { ...nothing(), operands: named ? [name] : [] } }
  if (values.version) return { name: 'version', invocation: nothing() }
  const given = Object.entries(values).map(([key, value]) => [key, value === true ? '' : String(value)] as const)
  return {
    name,
    invocation: {
      operands: positionals,
      options: new Map(given.filter(([key]) => !flags.includes(key))),
      flags: new Map(given.filter(([key]) => flags.includes(key))),
    },
  }
}

/** The row that argv names; throws SettingError for what is none. */
export function subcommandIn(argv: string[], subcommands: Subcommands): Subcommand {
  const name = argv[placeOfName(argv, subcommands)] ?? USUAL
  if (Object.hasOwn(subcommands, name)) return subcommands[name]!
  throw new SettingError(`${name}: unknown subcommand; known are ${Object.keys(subcommands).join(', ')}`)
}

/** The first word, or after flags the first known one that is no flag's value; -1: none is named. */
function placeOfName(argv: string[], subcommands: Subcommands): number {
  if (argv[0] !== undefined && !argv[0].startsWith('-')) return 0
  return argv.findIndex((word, index) => Object.hasOwn(subcommands, word) && !/^-[^=]*$/.test(argv[index - 1] ?? ''))
}

const nothing = (): Invocation => ({ operands: [], options: new Map(), flags: new Map() })

function flagsOf({ settings }: Subcommand, rows: SettingRow[]): string[] {
  if (settings === 'none') return []
  return ['home', ...(settings === 'all' ? rows.map((row) => flagName(row.name)) : placeSettings)]
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

function optionsOf({ options = {} }: Subcommand, flags: string[]): Options {
  return {
    ...Object.fromEntries(flags.map((flag) => [flag, { type: 'string' }])),
    ...Object.fromEntries(
      Object.entries(options).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
      ]),
    ),
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  }
}

/** What stands behind the first operand belongs to the command that it begins: `run ls -l`. */
function closed(argv: string[], options: Options): string[] {
  const { tokens } = parseArgs({ args: argv, options, allowPositionals: true, strict: false, tokens: true })
  const first = tokens.find(({ kind }) => kind === 'positional' || kind === 'option-terminator')
  return first?.kind === 'positional' ? argv.toSpliced(first.index, 0, '--') : argv
}

function parse(argv: string[], options: Options, name: string, subcommands: Subcommands) {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true, strict: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isUnknown = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
    const text = isUnknown ? unknownText(argv, options, subcommands) : message.split('\n')[0]!
    throw new SettingError(`${name}: ${text}; shellphone ${name} --help lists what it takes`)
  }
}

/** Node names the option in a sentence alone. */
function unknownText(args: string[], options: Options, subcommands: Subcommands): string {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true })
  const option = tokens.find((token) => token.kind === 'option' && !Object.hasOwn(options, token.name))
  const given = option?.kind === 'option' ? option.rawName : ''
  return `unknown option ${given}${whose(given, subcommands)}`
}

/** An option of another subcommand says whose it is. */
function whose(option: string, subcommands: Subcommands): string {
  const name = option.replace(/^-+/, '')
  const owners = Object.entries(subcommands).filter(([, { options = {} }]) => Object.hasOwn(options, name))
  return owners.length > 0 ? ` (it belongs to ${owners.map(([owner]) => owner).join(', ')})` : ''
}
