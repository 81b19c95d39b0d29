import { parseArgs } from 'node:util'
import { flagName } from './config/index.ts'
import { SettingError, type SettingRow } from './schema/index.ts'

export interface CommandLine {
  subcommand: string
  operands: string[]
  /** flag names without dashes → their text */
  flags: Map<string, string>
}

/** A subcommand's lines in the help. */
export interface SubcommandHelp {
  usage: string
  meaning: string
  /** further forms of it */
  more?: string[]
}

/** Flags without a value, of subcommands alone. */
const switches = [
  'always',
  'json',
  'lan',
  'local',
  'yes',
  'undo',
  'purge',
  'upgrade',
  'no-start',
  'wake-lock',
  'no-wake-lock',
]

/** Reads `shellphone [SUBCOMMAND] [--setting VALUE …] [OPERAND …]`; throws SettingError for what it does not know. */
export function readCommandLine(argv: string[], rows: SettingRow[], subcommands: string[]): CommandLine {
  const names = ['home', ...rows.map((row) => flagName(row.name))]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values, positionals } = parse(argv, {
    ...options,
    ...Object.fromEntries(switches.map((name) => [name, { type: 'boolean' as const }])),
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  })
  if (values.help) return { subcommand: 'help', operands: [], flags: new Map() }
  if (values.version) return { subcommand: 'version', operands: [], flags: new Map() }
  const [subcommand = 'serve', ...operands] = positionals
  if (!subcommands.includes(subcommand)) {
    throw new SettingError(`${subcommand}: unknown subcommand; known are ${subcommands.join(', ')}`)
  }
  return { subcommand, operands, flags: new Map(Object.entries(values) as [string, string][]) }
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

function parse(argv: string[], options: Options): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new SettingError((error as Error).message.split('\n')[0]!.split('. To specify')[0]!)
  }
}

/** What `shellphone --help` prints. */
export function helpText(rows: SettingRow[], subcommands: SubcommandHelp[]): string {
  const line = (name: string, meaning: string) => `  ${name.padEnd(38)} ${meaning}`
  const forms = subcommands.flatMap(({ usage, meaning, more = [] }) => [
    line(usage, meaning),
    ...more.map((form) => `  ${form}`),
  ])
  const flags = rows.map((row) => `  --${flagName(row.name).padEnd(32)} ${row.meaning.replaceAll('`', '')}`)
  return [
    'shellphone: runs shell commands on this machine for agents elsewhere on the network',
    '',
    'Usage: shellphone [serve] [--setting VALUE …]',
    '',
    ...forms,
    '',
    'Settings also come from $SHELLPHONE_HOME/config.yaml and SHELLPHONE_* (flags win):',
    `  --${'home'.padEnd(32)} The private folder with config.yaml, token, history and outputs`,
    ...flags,
  ].join('\n')
}
