/** The subjects of the settings, in the order of the manual, and the names of those that belong to each. */
const subjects: [title: string, names: RegExp][] = [
  ['Address and access', /^(host|port|tls.*|page|allowed_origins|allowed_hosts)$/],
  ['Limits on clients', /^(body_limit_bytes|max_connections|max_failed_logins_per_minute)$/],
  ['History and stored output', /^(history.*|max_run_spool_bytes|max_spool_bytes|min_free_bytes|redact)$/],
  ['Approvals', /^(approval_.*|max_pending_approvals)$/],
  [
    'Policy and guards',
    /^(policy|catastrophic|opaque_verdict|private_data|enable_.*|custom_.*|allowed_(commands|paths)|strict_.*|autonomy|require_.*|block_.*|restrict_.*|workspace_dir|single_command)$/,
  ],
  [
    'Directory, time and output of commands',
    /^(shell|working_directory|(max_)?timeout_seconds|kill_grace_seconds|max_length.*)$/,
  ],
  [
    'Slots and background commands',
    /^(max_running|max_queue.*|max_background.*|background_processes|max_actions_per_hour)$/,
  ],
  ['Environment of commands', /^(environment.*|ld_preload)$/],
  ['Sandbox', /^(sandbox.*|landlock|spawner)$/],
  ['Limits on the processes of a command', /^limit_/],
  ['Terminals', /^(terminal.*|max_terminals)$/],
  ['Log, stop, webhooks and MCP', /^(log_level|stop_grace_seconds|webhook_hosts|mcp_.*)$/],
  ['A phone in a fleet', /^fleet/],
  ['A control plane', /^plane_/],
  ['Dialects', /^dialects\./],
]

/** What no subject contains, such as a setting that a newer service has. */
export const NO_SUBJECT = 'Other'

/** Settings by subject, without empty subjects; `NO_SUBJECT` comes last. */
export function bySubject<Row extends { name: string }>(rows: Row[]): [title: string, rows: Row[]][] {
  const titleOf = ({ name }: Row) => subjects.find(([, names]) => names.test(name))?.[0] ?? NO_SUBJECT
  const titles = [...subjects.map(([title]) => title), NO_SUBJECT]
  return titles
    .map((title): [string, Row[]] => [title, rows.filter((row) => titleOf(row) === title)])
    .filter(([, own]) => own.length > 0)
}
