import { type PolicySettings, presetSettings, type Subject } from '../../../src/server/policy/index.ts'

/** The context in which every rule example and every corpus script is judged. */
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

/** Only two links: `link` leads to /etc and `inner` to src; any other path is itself. */
export const realpath = (path: string): string | null =>
  path.replace(/^\/home\/u\/work\/link(?=\/|$)/, '/etc').replace(/^\/home\/u\/work\/inner(?=\/|$)/, '/home/u/work/src')

const open = presetSettings('open')

/** Settings that enable one guard only. */
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
