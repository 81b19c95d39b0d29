import { UsageError } from '../../shared/schema/index.ts'
import { type Config, valuesOf } from '../../server/settings.ts'

/** `shellphone config [NAME]`: returns the text with the current settings, changed ones first, or with the value of one setting. Throws UsageError. */
export function showConfig(config: Config, operands: string[], isJson: boolean): string {
  const values = valuesOf(config)
  const [name, ...more] = operands
  if (more.length > 0) {
    throw new UsageError(
      `config: expected [NAME | import FILE], got ${operands.join(' ')}; see shellphone config --help`,
    )
  }
  if (name === undefined) {
    return isJson ? JSON.stringify({ home: config.home, settings: values }) : table(config, values)
  }
  if (!Object.hasOwn(values, name)) {
    throw new UsageError(`config ${name}: no such setting; list them with shellphone help settings`)
  }
  return JSON.stringify(values[name])
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
