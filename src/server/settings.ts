import { type Machine, readSettings, type Settings, settingsSchema } from './config/index.ts'
import { dialects } from './dialects/index.ts'
import {
  checkPolicySettings,
  PolicySettingsSchema,
  type PolicySettings,
  policySettings,
  presetSettings,
} from './policy/index.ts'
import {
  check,
  SettingError,
  type SettingRow,
  type SettingSource,
  settingRows,
  type ShownSetting,
  wanted,
} from '../shared/schema/index.ts'

/** What was read, as each room's value. */
export interface Config {
  /** $SHELLPHONE_HOME, absolute */
  home: string
  /** SHELLPHONE_TOKEN, when it was given */
  token: string | null
  settings: Settings
  policy: PolicySettings
  /** dialects.<name>.<key> */
  dialects: Record<string, Record<string, unknown>>
  /** where each setting that was given comes from */
  sources: Record<string, SettingSource>
  /** every setting there is */
  rows: SettingRow[]
}

/** Every setting of every room, in one list: the service's own, the guards', each dialect's. */
export const allSettings = (machine: Machine): SettingRow[] => [
  ...settingRows(settingsSchema(machine)),
  ...policySettings,
  ...dialects.flatMap(({ name, settings }) =>
    settings.map((row) => ({ ...row, name: prefixOf(name) + row.name, live: true })),
  ),
]

const prefixOf = (dialect: string) => `dialects.${dialect}.`

/** Reads all settings once. Throws SettingError in one line. */
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
    dialects: Object.fromEntries(dialects.map(({ name }) => [name, within(values, prefixOf(name))])),
    sources,
    rows,
  }
  refuseTrouble('', config.policy)
  for (const [name, settings] of Object.entries(config.dialects)) {
    refuseTrouble(prefixOf(name), { ...presetSettings('open'), ...patternsOf(settings) })
  }
  return config
}

/** The preset's values, each overridden by what was given. */
function policyOf(given: Record<string, unknown>, preset: unknown): PolicySettings {
  const usual = presetSettings(check(PolicySettingsSchema.properties.policy, preset))
  return check(PolicySettingsSchema, { ...usual, ...pick(given, Object.keys(usual)) })
}

/** Of a dialect's settings the patterns, which must be ones that the guards can use. */
const patternsOf = (settings: Record<string, unknown>): Partial<PolicySettings> =>
  pick(settings, ['custom_deny_patterns', 'custom_allow_patterns'])

function refuseTrouble(where: string, policy: PolicySettings): void {
  const [trouble] = checkPolicySettings(policy)
  if (trouble) throw new SettingError(`setting ${where}${trouble}`)
}

const pick = <Value>(from: Record<string, Value>, names: string[]) =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]!]))

const without = <Value>(from: Record<string, Value>, names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)))

/** What stands under a prefix, by the rest of its names. */
const within = (from: Record<string, unknown>, prefix: string) =>
  Object.fromEntries(
    Object.entries(from).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  )

/** A setting that was given another value while the service runs, which it cannot take before its next start. */
interface WaitingChange {
  setting: string
  now: unknown
  wanted: unknown
}

/** Writes what is live of `next` into `held`, where every room reads it; tells which settings changed so, and which wait for a restart. */
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
  const liveNames = held.rows.filter((row) => row.live).map((row) => row.name)
  held.sources = { ...without(held.sources, liveNames), ...pick(next.sources, liveNames) }
  return { changed, waiting }
}

/** What is in force, by the names of the rows. */
export function valuesOf({ settings, policy, dialects }: Config): Record<string, unknown> {
  const own = Object.entries(dialects).flatMap(([name, values]) =>
    Object.entries(values).map(([key, value]) => [prefixOf(name) + key, value]),
  )
  return { ...settings, ...policy, ...Object.fromEntries(own) }
}

/** Every setting as people are shown it, those of the policy with what its preset makes of them. */
export function shownSettings(config: Config): ShownSetting[] {
  const values = valuesOf(config)
  return config.rows.map(({ name, default: usual, defaultText, live, schema, unit, meaning }) => {
    const isUsual = JSON.stringify(values[name]) === JSON.stringify(usual)
    return {
      name,
      value: values[name],
      default: defaultText ?? usual,
      source: config.sources[name] ?? (isUsual ? 'default' : 'preset'),
      live,
      expected: wanted(schema),
      unit,
      meaning,
    }
  })
}
