import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { type Machine, type SettingRow, settingRows } from './config-rows.ts'
import { firstError, numbersFromStrings } from './schema/index.ts'

/** The settings in force, by their names in config.yaml. Seconds are seconds here; rooms are handed milliseconds. */
export interface Settings {
  host: string
  port: number
  allowed_origins: string[]
  allowed_hosts: string[]
  body_limit_bytes: number
  max_connections: number
  max_failed_logins_per_minute: number
  log_level: string
  stop_grace_seconds: number
  shell: string
  working_directory: string
  timeout_seconds: number
  max_timeout_seconds: number
  kill_grace_seconds: number
  max_length: number
  max_length_limit: number
  max_running: number
  max_queued: number
  max_queue_wait_seconds: number
  max_background_running: number
  max_background_seconds: number
  history: boolean
  history_max_age_days: number
  history_max_count: number
  max_run_spool_bytes: number
  max_spool_bytes: number
  min_free_bytes: number
  redact: boolean
  background_processes: 'end' | 'keep'
  environment: 'filtered' | 'minimal' | 'full'
  environment_keep: string[]
  ld_preload: boolean
}

export interface Config {
  /** $SHELLPHONE_HOME, absolute: config.yaml, token, history and outputs */
  home: string
  /** SHELLPHONE_TOKEN, when it was given */
  token: string | null
  settings: Settings
}

/** A setting that is wrong or unknown: the start stops with this one line. */
export class SettingError extends Error {}

/** Names that are not rows: where the rows lie, and the secret that must not stand in a table. */
const outside = new Set(['SHELLPHONE_HOME', 'SHELLPHONE_TOKEN'])

export const environmentName = (name: string) => `SHELLPHONE_${name.toUpperCase().replaceAll('.', '_')}`
export const flagName = (name: string) => name.replaceAll('_', '-').replaceAll('.', '-')

/**
 * Reads the settings once, from defaults < config.yaml < SHELLPHONE_* < flags, each checked against its row.
 * Throws SettingError: the setting, what was wanted, what came, and from where.
 */
export async function readConfig(
  env: NodeJS.ProcessEnv,
  flags: Map<string, string>,
  machine: Machine,
): Promise<Config> {
  const rows = settingRows(machine)
  const home = resolve(flags.get('home') ?? env.SHELLPHONE_HOME ?? join(machine.home, '.shellphone'))
  const values: Record<string, unknown> = Object.fromEntries(rows.map((row) => [row.name, row.default]))
  const file = join(home, 'config.yaml')
  for (const given of [await fromFile(rows, file), fromEnvironment(rows, env), fromFlags(rows, flags)]) {
    for (const [row, value] of given) values[row.name] = value
  }
  return { home, token: env.SHELLPHONE_TOKEN ?? null, settings: values as unknown as Settings }
}

/** Environment and flags are text: numbers and booleans as written, lists as JSON or separated by commas. */
function fromText(schema: TSchema, text: string): unknown {
  if (schema.type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  if (schema.type !== 'array') return numbersFromStrings(schema, text)
  try {
    if (text.trim().startsWith('[')) return JSON.parse(text)
  } catch {
    return text // not JSON: the check names it
  }
  return text.split(',').filter((part) => part !== '')
}

async function fromFile(rows: SettingRow[], file: string): Promise<Map<SettingRow, unknown>> {
  if (!existsSync(file)) return new Map()
  const { default: yaml } = await import('yaml')
  let document: unknown
  try {
    document = yaml.parse(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    throw new SettingError(`${file}: ${(error as Error).message.split('\n')[0]}`)
  }
  if (typeof document !== 'object' || Array.isArray(document))
    throw new SettingError(`${file}: expected settings as "name: value"`)
  return named(rows, Object.entries(document as object), file, (row) => row.name)
}

function fromEnvironment(rows: SettingRow[], env: NodeJS.ProcessEnv): Map<SettingRow, unknown> {
  const ours = Object.entries(env).filter(([name]) => name.startsWith('SHELLPHONE_') && !outside.has(name))
  return named(rows, ours, 'environment', (row) => environmentName(row.name))
}

function fromFlags(rows: SettingRow[], flags: Map<string, string>): Map<SettingRow, unknown> {
  const ours = [...flags].filter(([name]) => name !== 'home')
  return named(rows, ours, 'flags', (row) => flagName(row.name))
}

function named(rows: SettingRow[], given: [string, unknown][], source: string, nameOf: (row: SettingRow) => string) {
  const found = new Map<SettingRow, unknown>()
  for (const [name, value] of given) {
    const row = rows.find((one) => nameOf(one) === name)
    if (!row) throw new SettingError(`setting ${name}: unknown (from ${source}); shellphone --help lists them all`)
    found.set(row, checked(row, value, source))
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
