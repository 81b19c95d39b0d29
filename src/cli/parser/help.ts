import { flagName } from '../../server/config/index.ts'
import { SettingError, type SettingRow } from '../../shared/schema/index.ts'
import { addressSettings, type Subcommand, type Subcommands } from './subcommand.ts'

const line = (name: string, meaning: string) => `  ${name.padEnd(30)} ${meaning}`
const settingLine = ({ name, meaning, live }: SettingRow) =>
  line(`--${flagName(name)}`, `${meaning.replaceAll('`', '')}${live ? ' [live]' : ''}`)
const homeLine = line('--home', 'The private directory with config.yaml, token, history and outputs')

/** The output of `shellphone help [TOPIC]`: an overview, the help of a subcommand, or all settings. Throws SettingError for another topic. */
export function helpText(topic: string | undefined, rows: SettingRow[], subcommands: Subcommands): string {
  if (topic === undefined) return overview(subcommands)
  if (topic === 'settings') return settingsText(rows)
  if (Object.hasOwn(subcommands, topic)) return subcommandText(topic, subcommands[topic]!, rows)
  throw new SettingError(`help ${topic}: expected settings or one of ${Object.keys(subcommands).join(', ')}`)
}

function overview(subcommands: Subcommands): string {
  return [
    'shellphone: run shell commands on this machine for agents elsewhere on the network',
    '',
    'Usage: shellphone [SUBCOMMAND] [--option VALUE …] [OPERAND …]',
    '',
    ...Object.entries(subcommands).map(([name, { operands = '', meaning }]) => line(`${name} ${operands}`, meaning)),
    '',
    'See shellphone SUBCOMMAND --help for options, and shellphone help settings for all settings of the service.',
  ].join('\n')
}

function settingsText(rows: SettingRow[]): string {
  return [
    'Flags override SHELLPHONE_* environment variables, which override $SHELLPHONE_HOME/config.yaml.',
    'A running service reads config.yaml again when it changes: [live] settings apply at once, the others at the next start.',
    homeLine,
    ...rows.map(settingLine),
  ].join('\n')
}

function subcommandText(name: string, subcommand: Subcommand, rows: SettingRow[]): string {
  const { operands = '', meaning, options = {}, settings, examples = [], exitCodes } = subcommand
  const own = Object.entries(options).map(([option, { meaning: text, value = '', short }]) =>
    line(`${short ? `-${short}, ` : ''}--${option} ${value}`, text),
  )
  const place = settings === 'place' ? rows.filter((row) => addressSettings.some((one) => one === row.name)) : []
  return [
    `Usage: shellphone ${name} ${operands}`.trimEnd(),
    '',
    `${meaning}.`,
    ...(own.length > 0 ? ['', ...own] : []),
    ...(settings === 'place' ? ['', 'Address of the service:', homeLine, ...place.map(settingLine)] : []),
    ...(settings === 'all' ? ['', 'Every setting is also a flag; see shellphone help settings.'] : []),
    ...(examples.length > 0 ? ['', 'Examples:', ...examples.map((example) => `  ${example}`)] : []),
    ...(exitCodes ? ['', `Exit codes: ${exitCodes}.`] : []),
  ].join('\n')
}
