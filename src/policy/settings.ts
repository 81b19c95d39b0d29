/** The policy's settings: names are the keys of config.yaml, as the seeds write them. `policy` names a preset; each other key overrides it. */
import { type Static, Type } from '@sinclair/typebox'
import { orNull, type SettingRow } from '../schema/index.ts'
import { patternTrouble } from './patterns.ts'

const strings = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: 1000, description })
const Verdicts = Type.Union([Type.Literal('allow'), Type.Literal('ask'), Type.Literal('deny')])
const Preset = Type.Union([
  Type.Literal('open'),
  Type.Literal('guarded'),
  Type.Literal('supervised'),
  Type.Literal('strict'),
])
const Autonomy = Type.Union([Type.Literal('read_only'), Type.Literal('supervised'), Type.Literal('full')])

/** The schema of all settings together; every one is present once a preset has filled the blanks. */
export const PolicySettings = Type.Object(
  {
    policy: Preset,
    catastrophic: Type.Boolean(),
    opaque_verdict: Verdicts,
    enable_deny_patterns: Type.Boolean(),
    custom_deny_patterns: strings('regular expressions'),
    custom_allow_patterns: strings('regular expressions'),
    allowed_commands: orNull(strings('command names')),
    autonomy: orNull(Autonomy),
    require_approval_for_medium_risk: Type.Boolean(),
    block_high_risk_commands: Type.Boolean(),
    restrict_to_workspace: Type.Boolean(),
    workspace_dir: orNull(Type.String()),
    allowed_paths: strings('absolute directories'),
    single_command: Type.Boolean(),
    max_actions_per_hour: orNull(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
)
export type PolicySettings = Static<typeof PolicySettings>
export type PresetName = PolicySettings['policy']

const open: PolicySettings = {
  policy: 'open',
  catastrophic: false,
  opaque_verdict: 'ask',
  enable_deny_patterns: false,
  custom_deny_patterns: [],
  custom_allow_patterns: [],
  allowed_commands: null,
  autonomy: null,
  require_approval_for_medium_risk: true,
  block_high_risk_commands: true,
  restrict_to_workspace: false,
  workspace_dir: null,
  allowed_paths: [],
  single_command: false,
  max_actions_per_hour: null,
}

const presets: Record<PresetName, PolicySettings> = {
  open,
  guarded: { ...open, policy: 'guarded', catastrophic: true },
  supervised: {
    ...open,
    policy: 'supervised',
    catastrophic: true,
    autonomy: 'supervised',
    // a person could well approve them; what nobody should is catastrophic
    block_high_risk_commands: false,
  },
  strict: {
    ...open,
    policy: 'strict',
    catastrophic: true,
    autonomy: 'supervised',
    enable_deny_patterns: true,
    restrict_to_workspace: true,
    opaque_verdict: 'deny',
  },
}

/** All settings as a preset has them. */
export function presetSettings(name: PresetName): PolicySettings {
  return structuredClone(presets[name])
}

const meanings: Record<keyof PolicySettings, string> = {
  policy:
    'Which guards are on: open (none), guarded (catastrophic), supervised (and risk), strict (and deny-patterns, workspace, doubt is no). Every other key overrides it',
  catastrophic:
    'Refuse what no agent should do to a device: wiping roots and homes, disks, fork bombs, power, uninstalling, killing this service, reading its files',
  opaque_verdict: 'What the guards that are on say of a script that cannot be fully understood',
  enable_deny_patterns:
    'Refuse the categories of the deny list: rm -rf, sudo, chmod, $(…), here-documents, docker run, git push …',
  custom_deny_patterns:
    'Regular expressions, tried on every simple command and on the whole script: a match is refused',
  custom_allow_patterns:
    'Regular expressions, tried on every simple command: a match exempts that one command from the deny patterns, never its neighbours',
  allowed_commands: 'The only commands that may run, by name or absolute path, * for all; null: no allowlist',
  autonomy:
    'read_only: low risk alone; supervised: medium asks, high is refused; full: high asks; null: risk does not decide',
  require_approval_for_medium_risk: 'Whether medium risk asks under supervised',
  block_high_risk_commands: 'Whether high risk is refused (instead of asked) under supervised',
  restrict_to_workspace: 'Refuse paths and working directories outside of workspace_dir and allowed_paths',
  workspace_dir: 'Absolute root of the workspace; null: the working directory of each command',
  allowed_paths: 'Absolute directories that are allowed beside the workspace; * allows all',
  single_command: 'One program with its arguments: no shell syntax, no inline code',
  max_actions_per_hour: 'Commands that one token may run within any hour; 0 refuses all; null: no limit',
}

/** One row for every setting; the defaults are those of the preset `guarded`. */
export const policySettings: readonly (SettingRow & { name: keyof PolicySettings })[] = (
  Object.keys(meanings) as (keyof PolicySettings)[]
).map((name) => ({
  name,
  schema: PolicySettings.properties[name],
  default: presets.guarded[name],
  unit: name === 'max_actions_per_hour' ? 'commands per hour' : '',
  meaning: meanings[name],
  live: true,
}))

/** What is wrong with settings, in plain words, one line each; they stop the start. Shapes are the schema's to check. */
export function checkPolicySettings(settings: PolicySettings): string[] {
  const troubles: string[] = []
  for (const key of ['custom_deny_patterns', 'custom_allow_patterns'] as const) {
    settings[key].forEach((pattern, index) => {
      const trouble = patternTrouble(pattern)
      if (trouble) troubles.push(`${key}[${index}]: ${trouble}: ${JSON.stringify(pattern)}`)
    })
  }
  if (settings.workspace_dir !== null && !settings.workspace_dir.startsWith('/')) {
    troubles.push(`workspace_dir: expected an absolute path, got ${JSON.stringify(settings.workspace_dir)}`)
  }
  settings.allowed_paths.forEach((path, index) => {
    if (path.trim() !== '*' && !path.trim().startsWith('/')) {
      troubles.push(`allowed_paths[${index}]: expected an absolute path or *, got ${JSON.stringify(path)}`)
    }
  })
  return troubles
}
