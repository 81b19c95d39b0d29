import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { type Machine, type SettingRow, settingRows } from './config-rows.ts'
import { checkPolicySettings, type PolicySettings, presetSettings } from './policy/index.ts'
import { type BoxName, firstError, numbersFromStrings } from './schema/index.ts'

/** The service's settings in force, by their names in config.yaml. Seconds are seconds here; rooms are handed milliseconds. */
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
  spawner: 'auto' | 'launcher' | 'child_process'
  landlock: 'auto' | 'on' | 'off'
  sandbox: BoxName
  'sandbox.network': boolean
  'sandbox.command': string[] | null
  limit_cpu_seconds: number | null
  limit_address_space_bytes: number | null
  limit_processes: number | null
  limit_open_files: number | null
  limit_file_size_bytes: number | null
  limit_nice: number | null
  limit_oom_score_adj: number | null
  approval_timeout_seconds: number
  max_pending_approvals: number
  approval_notifications: boolean
  approval_rule_days: number
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
  policy: PolicySettings
  /** dialects.<name>.<key> */
  dialects: Record<string, Record<string, unknown>>
}

/** A setting that is wrong or unknown: the start stops with this one line. */
export class SettingError extends Error {}

/** Names that are not rows: where the rows lie, and the secret that must not stand in a table. */
const outside = new Set(['SHELLPHONE_HOME', 'SHELLPHONE_TOKEN'])

export const environmentName = (name: string) => `SHELLPHONE_${name.toUpperCase().replace(/[.-]/g, '_')}`
export const flagName = (name: string) => name.replace(/[._]/g, '-')

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
  const sources = [await fromFile(rows, join(home, 'config.yaml')), fromEnvironment(rows, env), fromFlags(rows, flags)]
  const given = new Map(sources.flatMap((source) => [...source].map(([row, value]) => [row.name, value] as const)))
  const settings = Object.fromEntries(
    rows.map((row) => [row.name, given.has(row.name) ? given.get(row.name) : row.default]),
  )
  return {
    home,
    token: env.SHELLPHONE_TOKEN ?? null,
    settings: settings as unknown as Settings,
    policy: policyOf(given, settings.policy as PolicySettings['policy']),
    dialects: dialectsOf(settings),
  }
}

/** The preset's values, each overridden by what was given. */
function policyOf(given: Map<string, unknown>, preset: PolicySettings['policy']): PolicySettings {
  const usual = presetSettings(preset)
  const own = Object.keys(usual).filter((name) => given.has(name))
  return checkedPolicy('', { ...usual, ...Object.fromEntries(own.map((name) => [name, given.get(name)])) })
}

function checkedPolicy(where: string, policy: PolicySettings): PolicySettings {
  const [trouble] = checkPolicySettings(policy)
  if (trouble) throw new SettingError(`setting ${where}${trouble}`)
  return policy
}

function dialectsOf(settings: Record<string, unknown>): Config['dialects'] {
  const found: Config['dialects'] = {}
  for (const [name, value] of Object.entries(settings)) {
    const [first, dialect, key] = name.split('.')
    if (first === 'dialects') found[dialect!] = { ...found[dialect!], [key!]: value }
  }
  for (const [name, own] of Object.entries(found)) {
    const lists = {
      custom_deny_patterns: own.custom_deny_patterns ?? [],
      custom_allow_patterns: own.custom_allow_patterns ?? [],
    }
    checkedPolicy(`dialects.${name}.`, { ...presetSettings('open'), ...lists } as PolicySettings)
  }
  return found
}

/** Environment and flags are text: numbers and booleans as written, lists as JSON or separated by commas. */
function fromText(schema: TSchema, text: string): unknown {
  if (schema.type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  if (schema.anyOf) return text === 'null' ? null : fromText(kindOf(schema), text)
  if (schema.type !== 'array') return numbersFromStrings(schema, text)
  try {
    if (text.trim().startsWith('[')) return JSON.parse(text)
  } catch {
    return text // not JSON: the check names it
  }
  return text.split(',').filter((part) => part !== '')
}

/** Of several possible kinds the first that is not null. */
const kindOf = (schema: TSchema): TSchema => schema.anyOf.find((one: TSchema) => one.type !== 'null')

/** `dialects: { picoclaw: { … } }` and `dialects.picoclaw.…` are one. */
function flatten(document: object, prefix = ''): [string, unknown][] {
  return Object.entries(document).flatMap(([name, value]): [string, unknown][] => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isGroup ? flatten(value, `${prefix}${name}.`) : [[prefix + name, value]]
  })
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
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw new SettingError(`${file}: expected settings as "name: value"`)
  }
  return named(rows, flatten(document as object), file, (row) => row.name)
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
