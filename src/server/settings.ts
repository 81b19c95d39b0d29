import { type Machine, readSettings, type Settings, settingsSchema } from './config/index.ts'
import { families } from './dialects/index.ts'
import {
  checkPolicySettings,
  PolicySettingsSchema,
  type PolicySettings,
  policySettings,
  presetSettings,
} from './policy/index.ts'
import {
  check,
  type SettingRow,
  type SettingSource,
  settingRows,
  type ShownSetting,
  wanted,
  UsageError,
} from '../shared/schema/index.ts'

/** The settings, by the module that uses them. */
export interface Config {
  /** the absolute path of $SHELLPHONE_HOME */
  home: string
  /** SHELLPHONE_TOKEN; null: not set */
  token: string | null
  settings: Settings
  policy: PolicySettings
  /** the settings dialects.<name>.<key> */
  dialects: Record<string, Record<string, unknown>>
  /** the source of each setting that was given */
  sources: Record<string, SettingSource>
  /** the values that take effect at the next start, by setting */
  waiting: Record<string, unknown>
  /** all settings that exist */
  rows: SettingRow[]
}

/** Returns all settings in one list: those of the service, of the policy and of each dialect. */
export const allSettings = (machine: Machine): SettingRow[] => [
  ...settingRows(settingsSchema(machine)),
  ...policySettings,
  ...[...families].flatMap(([name, settings]) =>
    settings.map((row) => ({ ...row, name: prefixOf(name) + row.name, live: true })),
  ),
]

const prefixOf = (dialect: string) => `dialects.${dialect}.`

/** Reads all settings once. Throws a UsageError with a one-line message. */
export async function readConfig(
  env: NodeJS.ProcessEnv,
  flags: Map<string, string>,
  machine: Machine,
): Promise<Config> {
  const rows = allSettings(machine)
  const { home, token, given, sources, values } = await readSettings(rows, env, flags, machine)
  const config: Config = {
    home,
    token,
    settings: check(settingsSchema(machine), values),
    policy: policyOf(given, values.policy),
    dialects: Object.fromEntries([...families.keys()].map((name) => [name, within(values, prefixOf(name))])),
    sources,
    waiting: {},
    rows,
  }
  checkPolicy('', config.policy)
  checkPatterns(values)
  return config
}

/** Checks the pattern settings of the dialects, which must be valid for the guards. Throws UsageError. */
export function checkPatterns(values: Record<string, unknown>): void {
  for (const name of families.keys()) {
    checkPolicy(prefixOf(name), { ...presetSettings('open'), ...patternsOf(within(values, prefixOf(name))) })
  }
}

/** Returns the preset's values, overridden by the settings that were given. */
function policyOf(given: Record<string, unknown>, presetName: unknown): PolicySettings {
  const preset = presetSettings(check(PolicySettingsSchema.properties.policy, presetName))
  return check(PolicySettingsSchema, { ...preset, ...pick(given, Object.keys(preset)) })
}

/** Returns a dialect's pattern settings. */
const patternsOf = (settings: Record<string, unknown>): Partial<PolicySettings> =>
  pick(settings, ['custom_deny_patterns', 'custom_allow_patterns'])

function checkPolicy(prefix: string, policy: PolicySettings): void {
  const [problem] = checkPolicySettings(policy)
  if (problem) throw new UsageError(`setting ${prefix}${problem}`)
}

const pick = <Value>(from: Record<string, Value>, names: string[]) =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]!]))

const without = <Value>(from: Record<string, Value>, names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)))

/** Returns the entries whose names start with a prefix, by the rest of their names. */
const within = (from: Record<string, unknown>, prefix: string) =>
  Object.fromEntries(
    Object.entries(from).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  )

/** A setting whose new value takes effect only at the next start of the service. */
interface WaitingChange {
  setting: string
  now: unknown
  wanted: unknown
}

/** Copies the live settings of `next` to `held`, which every module reads. Returns which settings changed and which wait for a restart. */
export function applyLive(held: Config, next: Config): { changed: string[]; waiting: WaitingChange[] } {
  const [before, after] = [valuesOf(held), valuesOf(next)]
  const differing = held.rows.filter(({ name }) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const changed = differing.filter((row) => row.live).map((row) => row.name)
  const waiting = differing
    .filter((row) => !row.live)
    .map(({ name: setting }) => ({ setting, now: before[setting], wanted: after[setting] }))
  Object.assign(held.settings, pick(next.settings, changed))
  Object.assign(held.policy, next.policy)
  Object.assign(held.dialects, next.dialects)
  held.waiting = Object.fromEntries(waiting.map(({ setting, wanted }) => [setting, wanted]))
  const liveNames = held.rows.filter((row) => row.live).map((row) => row.name)
  held.sources = { ...without(held.sources, liveNames), ...pick(next.sources, liveNames) }
  return { changed, waiting }
}

/** Returns the current values by setting name. */
export function valuesOf({ settings, policy, dialects }: Config): Record<string, unknown> {
  const own = Object.entries(dialects).flatMap(([name, values]) =>
    Object.entries(values).map(([key, value]) => [prefixOf(name) + key, value]),
  )
  return { ...settings, ...policy, ...Object.fromEntries(own) }
}

/** Returns all settings in the form that people see, with the values of the preset for the policy. */
export function shownSettings(config: Config): ShownSetting[] {
  const values = valuesOf(config)
  return config.rows.map(({ name, default: usual, defaultText, live, schema, unit, meaning }) => {
    const isUsual = JSON.stringify(values[name]) === JSON.stringify(usual)
    return {
      name,
      value: values[name],
      default: defaultText ?? usual,
      source: config.sources[name] ?? (isUsual ? 'default' : 'preset'),
      ...(name in config.waiting && { waiting: config.waiting[name] }),
      live,
      expected: wanted(schema),
      unit,
      meaning,
    }
  })
}
