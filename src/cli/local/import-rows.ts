/** How one key of another system's configuration file becomes a setting of this service. */
export interface ImportRow {
  /** the paths of the key in that system's file, with dots between the levels */
  keys: string[]
  /** the name of the setting; null: this service has no equivalent setting */
  setting: string | null
  /** if `setting` is null: why this service needs no such setting, or what replaces it */
  reason?: string
  /** converts the value; default: unchanged */
  toValue?(value: unknown, home: string): unknown
}

const expandHome = (value: unknown, home: string) =>
  typeof value === 'string' ? value.replace(/^~(?=\/|$)/, home) : value

const toNanoseconds = (value: unknown) => (typeof value === 'number' ? value * 1e9 : value)

/** The same key at several levels. */
const under = (prefixes: string[], key: string) => prefixes.map((prefix) => prefix + key)

const picoclaw = (key: string, more: Partial<ImportRow> = {}): ImportRow => ({
  keys: [`tools.exec.${key}`],
  setting: `dialects.picoclaw.${key}`,
  ...more,
})

const nullclaw = (key: string, more: Partial<ImportRow> = {}): ImportRow => ({
  keys: under(['', 'policy.', 'autonomy.', 'security.'], key),
  setting: `dialects.nullclaw.${key}`,
  ...more,
})

/** The configuration files of the five systems. To add a key, add a row. */
export const importRows: Record<string, ImportRow[]> = {
  oneclaw: [
    { keys: ['exec.timeout_seconds'], setting: 'timeout_seconds' },
    { keys: ['exec.working_directory'], setting: 'working_directory', toValue: expandHome },
    { keys: ['exec.max_length'], setting: 'max_length' },
  ],
  picoclaw: [
    picoclaw('enable_deny_patterns'),
    picoclaw('custom_deny_patterns'),
    picoclaw('custom_allow_patterns'),
    picoclaw('timeout_seconds'),
    picoclaw('restrict_to_workspace', { keys: under(['tools.exec.', 'agents.defaults.'], 'restrict_to_workspace') }),
    picoclaw('workspace', { keys: under(['tools.exec.', 'agents.defaults.'], 'workspace'), toValue: expandHome }),
    picoclaw('allow_remote', { setting: null, reason: "each token's rights decide who may run commands" }),
    picoclaw('enabled', { setting: null, reason: 'the service always offers the tool' }),
  ],
  nullclaw: [
    nullclaw('workspace_dir', { toValue: expandHome }),
    nullclaw('allowed_paths'),
    nullclaw('timeout_ns'),
    nullclaw('timeout_ns', { keys: ['tools.shell_timeout_secs'], toValue: toNanoseconds }),
    nullclaw('max_output_bytes', { keys: ['max_output_bytes', 'tools.shell_max_output_bytes'] }),
    nullclaw('policy', { keys: ['policy'], toValue: (value) => value !== null && value }),
    nullclaw('autonomy', { keys: ['autonomy', 'policy.autonomy', 'autonomy.level', 'security.autonomy'] }),
    nullclaw('allowed_commands'),
    nullclaw('require_approval_for_medium_risk'),
    nullclaw('block_high_risk_commands'),
    nullclaw('max_actions_per_hour'),
    nullclaw('path_env_vars', { keys: ['path_env_vars', 'tools.path_env_vars'] }),
    nullclaw('tracker', { setting: null, reason: 'the service counts the actions of each token' }),
    nullclaw('workspace_only', { setting: null, reason: 'cwd is always checked; restrict_to_workspace checks paths' }),
  ],
  'agent-world': [
    {
      keys: under(['', 'variables.'], 'working_directory'),
      setting: 'dialects.agent-world.working_directory',
      toValue: expandHome,
    },
    { keys: under(['', 'variables.'], 'tool_permission'), setting: 'dialects.agent-world.tool_permission' },
  ],
  meka: [
    { keys: ['shell.sandbox'], setting: 'dialects.meka.sandbox' },
    { keys: ['permission', 'permissions.default'], setting: 'dialects.meka.permission' },
    { keys: ['shell.backend'], setting: null, reason: 'sandbox.command names an external sandbox' },
  ],
}
