import { environmentName, flagName } from '../../server/config/index.ts'
import { type SettingRow, wanted } from '../../shared/schema/index.ts'
import { type Style, wrap } from '../print/index.ts'
import { allCodes } from './exit-codes.ts'
import {
  groups,
  type Options,
  rowNamed,
  type SettingFlags,
  type Subcommand,
  type Subcommands,
  type Verb,
  verbOfTopic,
} from './subcommand.ts'

const INDENT = 2
/** The meanings begin at this column, and a longer name puts its meaning on the next line. */
const MEANING_AT = 28

/** The settings that the help of `shellphone serve` shows; `help settings` shows all. */
const commonSettings = ['host', 'port', 'policy', 'sandbox', 'working_directory', 'max_running', 'log_level']

/** The output of `shellphone help [TOPIC [VERB]]`: an overview, the help of a subcommand or its verb, all settings, or one. Throws UsageError for another topic. */
export function helpText(
  [topic, verb]: readonly string[],
  rows: SettingRow[],
  subcommands: Subcommands,
  style: Style,
): string {
  if (topic === undefined) return overview(subcommands, style)
  if (topic === 'settings') return settingsText(rows, style)
  const setting = Object.hasOwn(subcommands, topic) ? undefined : settingNamed(rows, topic)
  if (setting !== undefined) return oneSettingText(setting, style)
  const subcommand = rowNamed(
    subcommands,
    topic,
    `help ${topic}`,
    rows.map(({ name }) => name),
  )
  if (verb !== undefined) verbOfTopic('help', topic, subcommand, verb)
  return subcommandText(topic, subcommand, verb, rows, style)
}

/** One line of the help, wrapped beside its name. */
function line(name: string, meaning: string, { columns }: Style): string {
  const text = wrap(meaning, columns, MEANING_AT)
  const isLong = name.length > MEANING_AT - INDENT - 2
  return `  ${isLong ? `${name}\n${' '.repeat(MEANING_AT)}` : name.padEnd(MEANING_AT - INDENT)}${text}`
}

const settingLine = (row: SettingRow, style: Style) => line(`--${flagName(row.name)} VALUE`, settingText(row), style)

/** The units that are not obvious from the name of a setting. */
const measures = new Set(['s', 'days', 'bytes', 'characters'])

/** The meaning of a setting, its values, default and environment variable. */
export function settingText({ name, meaning, schema, unit, live, ...row }: SettingRow): string {
  const measure = measures.has(unit) ? `; unit: ${unit}` : ''
  const facts = `${wanted(schema)}${measure}; default: ${row.defaultText ?? JSON.stringify(row.default)}; ${environmentName(name)}`
  return `${meaning} (${facts})${live ? ' [live]' : ''}`.replaceAll('`', '')
}
const homeLine = (style: Style) =>
  line(
    '--home PATH',
    'The private directory with config.yaml, token, history and outputs (default: ~/.shellphone)',
    style,
  )

function overview(subcommands: Subcommands, style: Style): string {
  return [
    'shellphone: run shell commands on this machine for agents elsewhere on the network',
    '',
    'Usage: shellphone [SUBCOMMAND] [OPTION …] [OPERAND …]',
    ...groups.flatMap((group) => {
      const own = Object.entries(subcommands).filter(([, row]) => row.group === group)
      if (own.length === 0) return []
      return ['', style.bold(group), ...own.map(([name, { meaning }]) => line(name, meaning, style))]
    }),
    '',
    wrap(
      'See shellphone SUBCOMMAND --help for its options and subcommands, and shellphone help settings for all settings of the service.',
      style.columns,
      0,
    ),
    wrap(allCodes, style.columns, 0),
  ].join('\n')
}

function settingsText(rows: SettingRow[], style: Style): string {
  return [
    'Flags override SHELLPHONE_* environment variables, which override $SHELLPHONE_HOME/config.yaml.',
    'A running service reads config.yaml again when it changes: [live] settings apply at once, the others at the next start.',
    homeLine(style),
    ...rows.map((row) => settingLine(row, style)),
  ].join('\n')
}

/** The setting with this name, which may also be written as its flag. */
const settingNamed = (rows: SettingRow[], name: string): SettingRow | undefined =>
  rows.find((row) => row.name === name || `--${flagName(row.name)}` === name || flagName(row.name) === name)

/** Everything about one setting. */
function oneSettingText(row: SettingRow, style: Style): string {
  const { name, meaning, schema, unit, live, defaultText } = row
  const values = `${wanted(schema)}${unit && `, ${unit}`}`
  return [
    wrap(`${name}: ${meaning.replaceAll('`', '')}.`, style.columns, 0),
    '',
    line('Values', values, style),
    line('Default', (defaultText ?? JSON.stringify(row.default)).replaceAll('`', ''), style),
    line('In config.yaml', `${name}: VALUE`, style),
    line('As a variable', `${environmentName(name)}=VALUE`, style),
    line('As a flag', `shellphone serve --${flagName(name)} VALUE`, style),
    line('A change applies', live ? 'at once' : 'at the next start of the service', style),
    '',
    wrap(
      `Show it with shellphone config ${name}; change it with shellphone config set ${name} VALUE.`,
      style.columns,
      0,
    ),
  ].join('\n')
}

/** What follows the name in the usage of a subcommand, or the verb in that of its verb. */
export function usageOf({ verbs, defaultVerb, ...subcommand }: Subcommand, verb?: Verb): string {
  const isGroup = verbs !== undefined && verb === undefined
  const { operands = '', settings = subcommand.settings } = verb ?? subcommand
  const hasOptions = settings !== 'none' || Object.keys({ ...subcommand.options, ...verb?.options }).length > 0
  return [
    ...(isGroup ? [defaultVerb === undefined ? 'SUBCOMMAND' : '[SUBCOMMAND]'] : []),
    ...(hasOptions || isGroup ? ['[OPTION …]'] : []),
    isGroup ? '[OPERAND …]' : operands,
  ]
    .join(' ')
    .trim()
}

export const optionName = (option: string, { value = '', short }: Options[string]): string =>
  `${short ? `-${short}, ` : ''}--${option} ${value}`.trimEnd()

function subcommandText(
  name: string,
  subcommand: Subcommand,
  verb: string | undefined,
  rows: SettingRow[],
  style: Style,
): string {
  const { options, verbs, examples = [] } = subcommand
  const shown = verb === undefined ? subcommand : verbs![verb]!
  const usage = verb === undefined ? usageOf(subcommand) : `${verb} ${usageOf(subcommand, shown)}`
  const part = (title: string, lines: string[]) => (lines.length > 0 ? ['', style.bold(title), ...lines] : [])
  const mine = examples.filter((example) => verb === undefined || example.includes(`shellphone ${name} ${verb}`))
  const exitCodes = (verb === undefined ? undefined : verbs![verb]!.exitCodes) ?? subcommand.exitCodes
  return [
    `Usage: shellphone ${name} ${usage}`.trimEnd(),
    '',
    wrap(`${shown.meaning}.`, style.columns, 0),
    ...(shown.notes ?? []).map((note) => wrap(note, style.columns, 0)),
    ...part('Subcommands:', verb === undefined ? verbLines(subcommand, style) : []),
    ...part('Options:', optionLines({ ...shown.options, ...options }, style)),
    ...flagParts(shown.settings ?? subcommand.settings, rows, style),
    ...part(
      'Examples:',
      mine.map((example) => `  ${example}`),
    ),
    ...(exitCodes ? ['', wrap(`Exit codes: ${exitCodes}.`, style.columns, 0)] : []),
  ].join('\n')
}

const optionLines = (options: Options, style: Style): string[] =>
  Object.entries(options).map(([option, row]) => line(optionName(option, row), optionMeaning(row), style))

/** The meaning of an option, with its values if they are fixed and the meaning does not already name them. */
export function optionMeaning({ meaning, values }: Options[string]): string {
  const isNamed = (values?.words ?? []).every((word) => meaning.includes(word))
  return values === undefined || isNamed ? meaning : `${meaning}: ${values.expected}`
}

/** The flags that set the address of the service, its home, or its settings. */
function flagParts(settings: SettingFlags, rows: SettingRow[], style: Style): string[] {
  if (settings === 'none') return []
  const shown = settings === 'all' ? commonSettings.flatMap((name) => rows.filter((row) => row.name === name)) : []
  const title = { all: 'Settings (the most common):', place: 'Address of the service:', home: 'Home:' }[settings]
  return [
    '',
    style.bold(title),
    homeLine(style),
    ...shown.map((row) => settingLine(row, style)),
    ...(settings === 'place' ? addressLines(style) : []),
    ...(settings === 'all' ? ['', 'Every other setting is a flag too; see shellphone help settings.'] : []),
  ]
}

/** The flags with which a client finds the service. */
const addressLines = (style: Style): string[] => [
  line('--host ADDRESS', `Connect to this address (default: ${RUNNING_ADDRESS} host)`, style),
  line('--port PORT', `Connect to this port (default: ${RUNNING_ADDRESS} port)`, style),
]

const RUNNING_ADDRESS = 'that of the running service; if none runs, the setting'

const verbLines = ({ verbs = {}, defaultVerb }: Subcommand, style: Style): string[] =>
  Object.entries(verbs).map(([name, { operands = '', meaning }]) =>
    line(`${name} ${operands}`.trim(), name === defaultVerb ? `${meaning} (default)` : meaning, style),
  )
