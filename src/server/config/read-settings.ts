import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { firstError, type SettingRow, type SettingSource, UsageError } from '../../shared/schema/index.ts'
import type { Machine } from './command-settings.ts'
import { fromText, isList } from './from-text.ts'
import { environmentName, flagName } from './names.ts'

/** The settings by name: those that were set, their sources, and all current values. */
interface ReadSettings {
  /** the absolute path of $SHELLPHONE_HOME, which contains config.yaml, the token, history and outputs */
  home: string
  /** SHELLPHONE_TOKEN; null: not set */
  token: string | null
  given: Record<string, unknown>
  /** the source of each setting in `given` */
  sources: Record<string, SettingSource>
  /** the value of every setting, set or default */
  values: Record<string, unknown>
}

/** Variables that are not settings: the home, the token (a secret must not appear in a table), and the remote that a client uses. */
const outside = new Set(['SHELLPHONE_HOME', 'SHELLPHONE_TOKEN', 'SHELLPHONE_REMOTE'])

/**
 * Reads settings once and checks each against its row. Later sources override earlier ones: defaults, config.yaml, SHELLPHONE_*, flags.
 * Rejects with UsageError, which names the setting, the expected and actual values, and the source.
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
    const [reason] = (error as Error).message.split(/:?\n/)
    throw new UsageError(`${file}: expected YAML: ${reason}`)
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new UsageError(`${file}: expected settings as "name: value"`)
  }
  return named(rows, settingsIn(document), file, (name) => name)
}

/** Deeper values count as values, not as groups of settings. */
const MAX_DEPTH = 16

/** Returns the settings of a document by name: `dialects: { picoclaw: { … } }` and `dialects.picoclaw.…` are the same setting. */
export function settingsIn(document: object, prefix = '', depth = 0): [string, unknown][] {
  return Object.entries(document).flatMap(([name, value]): [string, unknown][] => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
    return isGroup && depth < MAX_DEPTH ? settingsIn(value, `${prefix}${name}.`, depth + 1) : [[prefix + name, value]]
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

/** Returns one source's values by the names of their rows. `toName` converts a row's name to the name in that source. */
function named(rows: SettingRow[], given: [string, unknown][], source: string, toName: (name: string) => string) {
  const found: Record<string, unknown> = {}
  for (const [name, value] of given) {
    const row = rows.find((one) => toName(one.name) === name)
    if (!row)
      throw new UsageError(`setting ${name}: unknown (from ${source}); list all settings with shellphone help settings`)
    found[row.name] = checkSetting(row, value, source)
  }
  return found
}

/** Returns a setting's value, converted from text if its schema needs that. Throws UsageError, which names the source. */
export function checkSetting(row: SettingRow, value: unknown, source: string): unknown {
  const converted = typeof value === 'string' ? fromText(row.schema, value) : value
  const error = firstError(row.schema, converted)
  const where = error?.field ? `${row.name}.${error.message}` : error?.message.replace(/^body/, row.name)
  const hint = isList(row.schema) && typeof converted === 'string' ? '; write a list as a,b or as JSON' : ''
  if (error) throw new UsageError(`setting ${where} (from ${source})${hint}`)
  return converted
}
