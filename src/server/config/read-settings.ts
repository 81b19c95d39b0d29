import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { firstError, SettingError, type SettingRow, type SettingSource } from '../../shared/schema/index.ts'
import type { Machine } from './command-settings.ts'
import { fromText } from './from-text.ts'
import { environmentName, flagName } from './names.ts'

/** What was read: values by the names of their rows, those that were given apart from those that hold. */
export interface ReadSettings {
  /** $SHELLPHONE_HOME, absolute: config.yaml, token, history and outputs */
  home: string
  /** SHELLPHONE_TOKEN, when it was given */
  token: string | null
  given: Record<string, unknown>
  /** where each that was given comes from */
  sources: Record<string, SettingSource>
  /** every row's: given, or its default */
  values: Record<string, unknown>
}

/** Names that are not rows: where the rows lie, the secret that must not stand in a table, and which machine's service a client asks. */
const outside = new Set(['SHELLPHONE_HOME', 'SHELLPHONE_TOKEN', 'SHELLPHONE_REMOTE'])

/**
 * Reads settings once, from defaults < config.yaml < SHELLPHONE_* < flags, each checked against its row.
 * Throws SettingError: the setting, what was wanted, what came, and from where.
 */
export async function readSettings(
  rows: SettingRow[],
  env: NodeJS.ProcessEnv,
  flags: Map<string, string>,
  machine: Machine,
): Promise<ReadSettings> {
  const home = resolve(flags.get('home') ?? env.SHELLPHONE_HOME ?? join(machine.home, '.shellphone'))
  const defaults = Object.fromEntries(rows.map((row) => [row.name, row.default]))
  const bySource: [SettingSource, Record<string, unknown>][] = [
    ['config.yaml', await fromFile(rows, join(home, 'config.yaml'))],
    ['environment', fromEnvironment(rows, env)],
    ['flags', fromFlags(rows, flags)],
  ]
  const given = Object.assign({}, ...bySource.map(([, values]) => values))
  const sources = Object.fromEntries(
    bySource.flatMap(([source, values]) => Object.keys(values).map((name) => [name, source])),
  )
  return { home, token: env.SHELLPHONE_TOKEN ?? null, given, sources, values: { ...defaults, ...given } }
}

async function fromFile(rows: SettingRow[], file: string): Promise<Record<string, unknown>> {
  if (!existsSync(file)) return {}
  const { default: yaml } = await import('yaml')
  let document: unknown
  try {
    document = yaml.parse(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    throw new SettingError(`${file}: ${(error as Error).message.split('\n')[0]}`)
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new SettingError(`${file}: expected settings as "name: value"`)
  }
  return named(rows, flatten(document), file, (name) => name)
}

/** `dialects: { picoclaw: { … } }` and `dialects.picoclaw.…` are one. */
function flatten(document: object, prefix = ''): [string, unknown][] {
  return Object.entries(document).flatMap(([name, value]): [string, unknown][] => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isGroup ? flatten(value, `${prefix}${name}.`) : [[prefix + name, value]]
  })
}

function fromEnvironment(rows: SettingRow[], env: NodeJS.ProcessEnv): Record<string, unknown> {
  const ours = Object.entries(env).filter(([name]) => name.startsWith('SHELLPHONE_') && !outside.has(name))
  return named(rows, ours, 'environment', environmentName)
}

function fromFlags(rows: SettingRow[], flags: Map<string, string>): Record<string, unknown> {
  const ours = [...flags].filter(([name]) => name !== 'home')
  return named(rows, ours, 'flags', flagName)
}

/** One source's values by the names of their rows; `toName`: how that source writes a row's name. */
function named(rows: SettingRow[], given: [string, unknown][], source: string, toName: (name: string) => string) {
  const found: Record<string, unknown> = {}
  for (const [name, value] of given) {
    const row = rows.find((one) => toName(one.name) === name)
    if (!row) throw new SettingError(`setting ${name}: unknown (from ${source}); shellphone --help lists them all`)
    found[row.name] = checked(row, value, source)
  }
  return found
}

function checked(row: SettingRow, value: unknown, source: string): unknown {
  const converted = typeof value === 'string' ? fromText(row.schema, value) : value
  const error = firstError(row.schema, converted)
  const where = error?.field ? `${row.name}.${error.message}` : error?.message.replace(/^body/, row.name)
  if (error) throw new SettingError(`setting ${where} (from ${source})`)
  return converted
}
