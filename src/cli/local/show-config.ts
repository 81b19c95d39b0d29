import { ClientError } from '../commands/index.ts'
import { environmentName, flagName } from '../../server/config/index.ts'
import { didYouMean, type SettingRow, type ShownSetting, UsageError } from '../../shared/schema/index.ts'
import { type Config, shownSettings, valuesOf } from '../../server/settings.ts'
import type { InstalledSettings } from './run-doctor.ts'
import { runningSetting } from './running-setting.ts'

/**
 * `shellphone config`: prints the settings of the next start, first those that are set. With a name, prints the value of one setting, and on stderr its
 * source and the value that the running service uses if it differs. Rejects with UsageError.
 */
export async function showConfig(
  installed: InstalledSettings,
  name: string | undefined,
  isJson: boolean,
): Promise<void> {
  const config = await installed.read()
  if (name !== undefined) return showOne(installed, config, name, isJson)
  const all = shownSettings(config)
  console.log(isJson ? JSON.stringify({ home: config.home, settings: valuesOf(config) }) : table(config.home, all))
}

/** Returns the row of a setting. Throws UsageError for an unknown name. */
export function settingNamed<Row extends Pick<SettingRow, 'name'>>(rows: Row[], name: string): Row {
  const row = rows.find((one) => one.name === name)
  if (row !== undefined) return row
  const names = rows.map((one) => one.name)
  const nearest = didYouMean(name, names)
  throw new UsageError(`config ${name}: no such setting${nearest}; list them with shellphone help settings`)
}

/** A source as a person writes it: SHELLPHONE_PORT, --port, config.yaml. */
export function sourceText(name: string, source: ShownSetting['source']): string {
  if (source === 'environment') return environmentName(name)
  if (source === 'flags') return `--${flagName(name)}`
  return source === 'preset' ? 'the preset of the setting policy' : source
}

async function showOne(installed: InstalledSettings, config: Config, name: string, isJson: boolean): Promise<void> {
  const setting = settingNamed(shownSettings(config), name)
  const found = await runningSetting(installed, config, name)
  const running = found instanceof ClientError ? null : found
  const inUse = running && { value: running.value, source: running.source }
  if (isJson) return console.log(JSON.stringify({ ...setting, running: inUse }))
  console.log(JSON.stringify(setting.value))
  const differs = inUse !== null && JSON.stringify(inUse.value) !== JSON.stringify(setting.value)
  const more = differs ? `; the running service uses ${JSON.stringify(inUse.value)} (${from(name, inUse.source)})` : ''
  const refused = found instanceof ClientError ? `; the running service did not say what it uses: ${found.message}` : ''
  console.error(`${from(name, setting.source)}${more}${refused}`) // on stderr, so that $(shellphone config NAME) is the value alone
}

const from = (name: string, source: ShownSetting['source']): string =>
  source === 'default' ? 'the default' : `from ${sourceText(name, source)}`

function table(home: string, settings: ShownSetting[]): string {
  const width = Math.max(...settings.map(({ name }) => name.length))
  const line = ({ name, value }: ShownSetting) => `${name.padEnd(width)}  ${JSON.stringify(value)}`
  const isUsual = ({ source }: ShownSetting) => source === 'default'
  const set = settings.filter((one) => !isUsual(one))
  const part = (title: string, lines: string[]) => [`# ${title}`, ...lines, '']
  return [
    `# ${home}/config.yaml < SHELLPHONE_* < flags`,
    ...(set.length > 0
      ? part(
          'set',
          set.map((one) => `${line(one)}  # ${from(one.name, one.source)}`),
        )
      : []),
    ...part('default', settings.filter(isUsual).map(line)),
  ]
    .join('\n')
    .trimEnd()
}
