import { type Machine, readSettings, type Settings, settingsSchema } from './config/index.ts'
import { dialects } from './dialects/index.ts'
import {
  checkPolicySettings,
  PolicySettingsSchema,
  type PolicySettings,
  policySettings,
  presetSettings,
} from './policy/index.ts'
import { check, SettingError, type SettingRow, settingRows } from './schema/index.ts'

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
}

/** Every setting of every room, in one list: the service's own, the guards', each dialect's. */
export const allSettings = (machine: Machine): SettingRow[] => [
  ...settingRows(settingsSchema(machine)),
  ...policySettings,
  ...dialects.flatMap(({ name, settings }) => settings.map((row) => ({ ...row, name: prefixOf(name) + row.name }))),
]

const prefixOf = (dialect: string) => `dialects.${dialect}.`

/** Reads all settings once. Throws SettingError in one line. */
export async function readConfig(
  env: NodeJS.ProcessEnv,
  flags: Map<string, string>,
  machine: Machine,
): Promise<Config> {
  const { home, token, given, values } = await readSettings(allSettings(machine), env, flags, machine)
  const config: Config = {
    home,
    token,
    settings: check(settingsSchema(machine), values),
    policy: policyOf(given, values.policy),
    dialects: Object.fromEntries(dialects.map(({ name }) => [name, within(values, prefixOf(name))])),
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

const pick = (from: Record<string, unknown>, names: string[]) =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]))

/** What stands under a prefix, by the rest of its names. */
const within = (from: Record<string, unknown>, prefix: string) =>
  Object.fromEntries(
    Object.entries(from).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  )
