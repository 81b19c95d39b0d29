import type { Setting } from '../../sdk/index.ts'
import { rareWords } from '../words/rare-words.ts'

const { groups: titles } = rareWords.settings

/** The settings of each group, by their names; a setting belongs to the first group that fits. */
const groups: [title: string, names: RegExp][] = [
  [
    titles.policy,
    /^(policy|catastrophic|opaque_verdict|private_data|enable_deny_patterns|custom_\w+|allowed_(commands|paths)|strict_allowlist|autonomy|require_\w+|block_\w+|restrict_\w+|workspace_dir|single_command|max_actions_per_hour)$/,
  ],
  [titles.approvals, /^(approval_\w+|max_pending_approvals)$/],
  [
    titles.commands,
    /^(shell|working_directory|timeout_seconds|max_timeout_seconds|kill_grace_seconds|max_length\w*|max_running|max_queued|max_queue_wait_seconds|max_background_\w+|background_processes|spawner|environment\w*|ld_preload)$/,
  ],
  [titles.terminals, /^(terminal\w*|max_terminals)$/],
  [titles.sandboxes, /^(sandbox\b.*|sandbox_floor|landlock|limit_\w+)$/],
  [
    titles.connections,
    /^(host|port|tls\w*|page|allowed_(origins|hosts)|body_limit_bytes|max_connections|max_failed_logins_per_minute|webhook_hosts)$/,
  ],
  [titles.storage, /^(history\w*|max_(run_)?spool_bytes|min_free_bytes|redact|log_level|stop_grace_seconds)$/],
  [titles.agents, /^(mcp_\w+|.*\..*)$/],
  [titles.fleet, /^(fleet|plane)(_\w+)?$/],
]

/** The settings under the titles of their groups, without empty groups; those that fit no group come last. */
export function groupsOf(settings: Setting[]): [title: string, settings: Setting[]][] {
  const titleOf = ({ name }: Setting) => groups.find(([, names]) => names.test(name))?.[0] ?? titles.other
  return [...groups.map(([title]) => title), titles.other]
    .map((title): [string, Setting[]] => [title, settings.filter((one) => titleOf(one) === title)])
    .filter(([, members]) => members.length > 0)
}
