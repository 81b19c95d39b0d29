/** The settings of the policy. Their names are the keys of config.yaml. `policy` names a preset, and every other key overrides it. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { orNull, type SettingRow, settingRows } from '../../shared/schema/index.ts'
import { patternError, stepsOf, SUPPLIED } from './pattern-steps.ts'

const flag = (usual: boolean, description: string) => Type.Boolean({ default: usual, description })
const strings = (description?: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: 1000, default: [], description })
const optional = <T extends TSchema>(schema: T, description: string, unit = '') =>
  orNull(schema, { default: null, description, unit })
const oneOf = <const Name extends string>(names: Name[], more: { default?: Name; description?: string } = {}) =>
  Type.Union(
    names.map((name) => Type.Literal(name)),
    more,
  )

/** Every setting, with the default of the preset `guarded`. A preset fills in every missing key. */
export const PolicySettings = Type.Object(
  {
    policy: oneOf(['open', 'guarded', 'supervised', 'strict'], {
      default: 'guarded',
      description:
        'Preset of guards: open (none), guarded (catastrophic), supervised (also risk), strict (also deny patterns and a workspace; denies what it cannot analyse). Every other key overrides it',
    }),
    catastrophic: flag(
      true,
      'Deny what no agent should do to a device: wipe system or home directories, overwrite disks, start fork bombs, power off, uninstall apps, kill this service or read its files',
    ),
    opaque_verdict: oneOf(['allow', 'ask', 'deny'], {
      default: 'ask',
      description: 'Verdict of the enabled guards on a script that they cannot fully analyse',
    }),
    private_data: oneOf(['allow', 'ask_agents', 'ask', 'deny'], {
      default: 'ask_agents',
      description:
        "Verdict on commands that read the phone's private data or its screen; ask_agents: ask unless the token belongs to a person. With any value but allow, sending messages and making calls requires approval",
    }),
    enable_deny_patterns: flag(
      false,
      'Deny the categories of the deny list: rm -rf, sudo, chmod, $(…), here-documents, docker run, git push …',
    ),
    custom_deny_patterns: strings(
      'Regular expressions for every simple command and for the whole script; a match is denied',
    ),
    custom_allow_patterns: strings(
      'Regular expressions for every simple command; a match exempts that command, and no other, from the deny patterns',
    ),
    allowed_commands: optional(
      strings(),
      'The only commands that may run, by name or absolute path; * allows all, null means no allowlist',
    ),
    strict_allowlist: flag(
      false,
      'Deny everything that is not on the list of allowed_commands. Otherwise, unlisted shell builtins that change nothing outside their shell (cd, pwd, test, set, export …) and wrappers that only run a listed command (nice, time …) are allowed too',
    ),
    autonomy: optional(
      oneOf(['read_only', 'supervised', 'full']),
      'read_only: allow only low risk; supervised: ask at medium risk and deny high risk; full: ask at high risk; null: ignore risk',
    ),
    require_approval_for_medium_risk: flag(true, 'With autonomy supervised, ask before commands of medium risk'),
    block_high_risk_commands: flag(true, 'With autonomy supervised, deny commands of high risk instead of asking'),
    restrict_to_workspace: flag(false, 'Deny paths and working directories outside workspace_dir and allowed_paths'),
    restrict_programs: flag(
      false,
      'With restrict_to_workspace, also deny system programs that are named by a path outside the workspace: /bin/ls',
    ),
    workspace_dir: optional(
      Type.String(),
      'Root of the workspace, an absolute path; null: the setting working_directory',
    ),
    allowed_paths: strings('Absolute paths of directories that are allowed besides the workspace; * allows all'),
    single_command: flag(false, 'Allow only one program with its arguments: no shell syntax, no inline code'),
    max_actions_per_hour: optional(
      Type.Integer({ minimum: 0 }),
      'Commands that one token may run within any hour; 0 denies all; null: no limit',
      'commands per hour',
    ),
  },
  { additionalProperties: false },
)
export type PolicySettings = Static<typeof PolicySettings>
type PresetName = PolicySettings['policy']

/** One row for every setting. */
export const policySettings = settingRows(PolicySettings).map(
  (row) => ({ ...row, live: true }) as SettingRow & { name: keyof PolicySettings },
)

// the differences of each preset from `guarded`
const presets: Record<PresetName, Partial<PolicySettings>> = {
  open: { catastrophic: false, private_data: 'allow' },
  guarded: {},
  // a person may approve high risk; the catastrophic guard denies what nobody should approve
  supervised: { autonomy: 'supervised', private_data: 'ask', block_high_risk_commands: false },
  strict: {
    autonomy: 'supervised',
    enable_deny_patterns: true,
    restrict_to_workspace: true,
    private_data: 'deny',
    opaque_verdict: 'deny',
  },
}

/** All settings of a preset. */
export function presetSettings(policy: PresetName): PolicySettings {
  const usual = Object.fromEntries(policySettings.map((row) => [row.name, row.default])) as PolicySettings
  return structuredClone({ ...usual, ...presets[policy], policy })
}

const patternLists = ['custom_deny_patterns', 'custom_allow_patterns'] as const

/** Returns why settings supplied with a request are too expensive to try, or undefined. The schema checks their shapes. */
export function suppliedSettingsError(settings: Partial<PolicySettings>): string | undefined {
  for (const key of patternLists) {
    const patterns = settings[key] ?? []
    if (patterns.length > SUPPLIED.patterns) {
      return `${key}: expected at most ${SUPPLIED.patterns} patterns, got ${patterns.length}`
    }
    const steps = patterns.reduce((sum, pattern) => sum + stepsOf(pattern), 0)
    if (steps > SUPPLIED.steps)
      return `${key}: expected at most ${SUPPLIED.steps} steps in all patterns together, got ${steps}`
  }
  return undefined
}

/** Returns one message per invalid setting; the service does not start if there is any. The schema checks their shapes. */
export function checkPolicySettings(settings: PolicySettings): string[] {
  const errors: string[] = []
  for (const key of patternLists) {
    settings[key].forEach((pattern, index) => {
      const error = patternError(pattern)
      if (error) errors.push(`${key}[${index}]: ${error}: ${JSON.stringify(pattern)}`)
    })
  }
  if (settings.workspace_dir !== null && !settings.workspace_dir.startsWith('/')) {
    errors.push(`workspace_dir: expected an absolute path, got ${JSON.stringify(settings.workspace_dir)}`)
  }
  settings.allowed_paths.forEach((path, index) => {
    if (path.trim() !== '*' && !path.trim().startsWith('/')) {
      errors.push(`allowed_paths[${index}]: expected an absolute path or *, got ${JSON.stringify(path)}`)
    }
  })
  return errors
}
