import { didYouMean, UsageError, visible } from '../../shared/schema/index.ts'
import { type Config, valuesOf } from '../../server/settings.ts'

/** `shellphone config [NAME]`: returns the text with the settings of the next start, changed ones first, or with the value of one setting. Throws UsageError. */
export function showConfig(config: Config, operands: string[], isJson: boolean): string {
  const values = valuesOf(config)
  const [name, ...more] = operands
  if (more.length > 0) throw new UsageError(notChanged(config, operands))
  if (name === undefined) {
    return isJson ? JSON.stringify({ home: config.home, settings: values }) : table(config, values)
  }
  if (!Object.hasOwn(values, name)) {
    const nearest = didYouMean(name, Object.keys(values))
    throw new UsageError(`config ${name}: no such setting${nearest}; list them with shellphone help settings`)
  }
  return JSON.stringify(values[name])
}

/** Says where to change a setting, because `config` only prints them. */
function notChanged({ home, rows }: Config, [name = '', value = '']: string[]): string {
  const row = rows.find((one) => one.name === name)
  if (row === undefined)
    return `config: expected [NAME | import FILE], got ${visible(name)} …; see shellphone config --help`
  const when = row.live ? 'which a running service reads at once' : 'and restart the service'
  return `config ${name}: this only prints settings; to change it, write "${name}: ${visible(value)}" in ${home}/config.yaml, ${when}`
}

function table({ home, rows }: Config, values: Record<string, unknown>): string {
  const width = Math.max(...rows.map(({ name }) => name.length))
  const line = (name: string) => `${name.padEnd(width)}  ${JSON.stringify(values[name])}`
  const isChanged = ({ name, default: usual }: (typeof rows)[number]) =>
    JSON.stringify(values[name]) !== JSON.stringify(usual)
  const changed = rows.filter(isChanged)
  const usual = rows.filter((row) => !isChanged(row))
  const part = (title: string, some: typeof rows) => [`# ${title}`, ...some.map(({ name }) => line(name)), '']
  return [
    `# ${home}/config.yaml < SHELLPHONE_* < flags`,
    ...(changed.length > 0 ? part('changed', changed) : []),
    ...part('default', usual),
  ]
    .join('\n')
    .trimEnd()
}
