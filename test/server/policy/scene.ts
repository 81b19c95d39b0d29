import { type PolicySettings, presetSettings, type Subject } from '../../../src/server/policy/index.ts'

/** The world in which every example of a rule and every script of the corpora is judged. */
export const world = {
  cwd: '/home/u/work',
  workspace: '/home/u/work',
  home: '/home/u',
  serviceHome: '/home/u/.shellphone',
  servicePid: 4242,
  byPerson: true,
  servicePort: 8029,
  env: { TMPDIR: '/home/u/work/tmp', PREFIX: '/data/data/com.termux/files/usr' },
} satisfies Omit<Subject, 'script'>

/** No links: what does not exist is itself. `link` leads to /etc, `inner` to src. */
export const realpath = (path: string): string | null =>
  path.replace(/^\/home\/u\/work\/link(?=\/|$)/, '/etc').replace(/^\/home\/u\/work\/inner(?=\/|$)/, '/home/u/work/src')

const open = presetSettings('open')

/** Settings with one guard alone switched on. */
export const settingsFor: Record<string, PolicySettings> = {
  catastrophic: { ...open, catastrophic: true },
  phone: { ...open, private_data: 'ask' },
  'deny-patterns': { ...open, enable_deny_patterns: true },
  allowlist: {
    ...open,
    allowed_commands: ['git', 'ls', 'cat', 'grep', 'find', 'echo', 'touch', 'python3', 'awk', 'sed', 'diff', 'wc'],
  },
  risk: { ...open, autonomy: 'supervised' },
  workspace: { ...open, restrict_to_workspace: true, workspace_dir: '/home/u/work' },
  'single-command': { ...open, single_command: true },
}
